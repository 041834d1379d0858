// bindings/rust/gpuopt-sys/src/arrow.rs -- the structs of Arrow's C data interface, in the layout of its specification.
use std::os::raw::{c_char, c_void};

/// The type of an Arrow array (arrow.apache.org/docs/format/CDataInterface.html). Whoever has it calls `release`, once,
/// which sets that member to `None`; whoever moves it out does so, too.
#[repr(C)]
pub struct ArrowSchema {
    /// The type: `"g"` is float64.
    pub format: *const c_char,
    /// The name of a field, or null.
    pub name: *const c_char,
    /// Pairs of keys and values, or null.
    pub metadata: *const c_char,
    /// Ordered dictionary 1, nullable 2, sorted map keys 4.
    pub flags: i64,
    /// The number of children.
    pub n_children: i64,
    /// The types of the children.
    pub children: *mut *mut ArrowSchema,
    /// The type of a dictionary's values, or null.
    pub dictionary: *mut ArrowSchema,
    /// Frees all of it; `None`: it was released, or moved out.
    pub release: Option<unsafe extern "C" fn(schema: *mut ArrowSchema)>,
    /// The producer's own.
    pub private_data: *mut c_void,
}

/// The content of an Arrow array; released and moved as an [`ArrowSchema`].
#[repr(C)]
pub struct ArrowArray {
    /// The number of elements.
    pub length: i64,
    /// The number of nulls, -1 where nobody has counted.
    pub null_count: i64,
    /// The elements in front that do not belong to it.
    pub offset: i64,
    /// The number of buffers.
    pub n_buffers: i64,
    /// The number of children.
    pub n_children: i64,
    /// The buffers: of a primitive array the bits of validity, or null, and the elements.
    pub buffers: *mut *const c_void,
    /// The children.
    pub children: *mut *mut ArrowArray,
    /// The values of a dictionary, or null.
    pub dictionary: *mut ArrowArray,
    /// Frees all of it; `None`: it was released, or moved out.
    pub release: Option<unsafe extern "C" fn(array: *mut ArrowArray)>,
    /// The producer's own.
    pub private_data: *mut c_void,
}

macro_rules! released {
    ($($name:ident)*) => {$(
        impl $name {
            /// All members 0: a struct for a producer to fill.
            pub fn new() -> $name {
                // SAFETY: every member is a number or a pointer, for which zeros are a value.
                unsafe { std::mem::zeroed() }
            }
        }
        impl Default for $name {
            fn default() -> $name {
                $name::new()
            }
        }
    )*};
}
released! { ArrowSchema ArrowArray }
