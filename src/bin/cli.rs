//! The command line: everything is in [`somascope::cli`].

fn main() -> std::process::ExitCode {
    somascope::cli::main()
}
