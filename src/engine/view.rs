//! What the user is looking at, apart from what the dump says: one serialisable state.
