//! The catalogue of words, English and Chinese.
//!
//! Every sentence a person reads stands in a [`catalogue!`] table with both languages side by
//! side, so a missing translation does not compile, and neither does a key that is not there.

pub mod diagnostics;
pub mod findings;
pub mod graphs;
pub mod help;
pub mod page;
pub mod results;
pub mod safety;
pub mod share;
pub mod terminal;

/// The languages of the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// From a locale such as `zh_CN.UTF-8` or `en-GB`: Chinese for anything that starts with
    /// `zh`, else English.
    pub fn from_locale(locale: &str) -> Self {
        if locale
            .get(..2)
            .is_some_and(|l| l.eq_ignore_ascii_case("zh"))
        {
            Self::Zh
        } else {
            Self::En
        }
    }

    /// The language's tag for the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }
}

/// Defines an enum of keys with a text in each language.
///
/// `{0}`, `{1}` … in a text are places for arguments, see [`fill`].
macro_rules! catalogue {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($key:ident { en: $en:literal, zh: $zh:literal $(,)? })* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $(#[doc = $en] $key,)* }

        impl $name {
            /// Every key.
            pub const ALL: &'static [Self] = &[$(Self::$key,)*];

            /// Every key's name, in the order of [`Self::ALL`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($key),)*];

            /// The text in one language.
            pub fn text(self, lang: $crate::report::text::Lang) -> &'static str {
                // One text and its lengths: half the size of a table of texts, let alone of a match.
                const TEXTS: &str = concat!($($en, $zh,)*);
                const LENGTHS: &[u16] = &[$($en.len() as u16, $zh.len() as u16,)*];
                let place = 2 * self as usize + usize::from(lang == $crate::report::text::Lang::Zh);
                let (before, from) = LENGTHS.split_at(place);
                let start = before.iter().map(|n| usize::from(*n)).sum::<usize>();
                let len = from.first().map_or(0, |n| usize::from(*n));
                TEXTS.get(start..start + len).unwrap_or_default()
            }

            /// The key of that name.
            pub fn by_name(name: &str) -> Option<Self> {
                const NAMES: &str = concat!($(stringify!($key), " ",)*);
                NAMES.split(' ').position(|n| n == name).and_then(|i| Self::ALL.get(i).copied())
            }
        }
    };
}
pub(crate) use catalogue;

/// Puts `args` in the places `{0}`, `{1}` … of `text`. An argument is put in as it is: places
/// inside an argument stay text.
pub fn fill(text: &str, args: &[&str]) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let place = from.find('}').and_then(|close| {
            let index: usize = from.get(1..close)?.parse().ok()?;
            Some((args.get(index)?, close))
        });
        match place {
            Some((arg, close)) => {
                out.push_str(arg);
                rest = from.get(close + 1..).unwrap_or("");
            }
            None => {
                out.push('{');
                rest = from.get(1..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once_and_other_braces_stay() {
        assert_eq!(fill("a {0} b {1} {x} {", &["{1}", "2"]), "a {1} b 2 {x} {");
        assert_eq!(fill("{7}", &["1"]), "{7}");
    }

    #[test]
    fn locales_choose_a_language() {
        assert_eq!(Lang::from_locale("zh_CN.UTF-8"), Lang::Zh);
        assert_eq!(Lang::from_locale("ZH-hant"), Lang::Zh);
        assert_eq!(Lang::from_locale("C"), Lang::En);
        assert_eq!(Lang::from_locale("中"), Lang::En);
    }
}
