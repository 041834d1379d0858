// bindings/rust/gpuopt/src/texture.rs -- textures and surfaces for raw kernels.
use crate::error::check;
use crate::raw::{texture_part, RawPart};
use crate::{Array, Code, Error, RawArgument, Result};
use gpuopt_sys as sys;
use std::fmt;
use std::ptr::NonNull;

/// What happens outside of an axis. `Wrap` and `Mirror` are for normalized coordinates, and are `Clamp` without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressMode {
    /// Coordinates begin again.
    Wrap,
    /// The texel at the end.
    #[default]
    Clamp,
    /// Coordinates go back.
    Mirror,
    /// 0.
    Border,
}
impl AddressMode {
    fn to_raw(self) -> i32 {
        match self {
            AddressMode::Wrap => sys::GPUOPT_ADDRESS_WRAP,
            AddressMode::Clamp => sys::GPUOPT_ADDRESS_CLAMP,
            AddressMode::Mirror => sys::GPUOPT_ADDRESS_MIRROR,
            AddressMode::Border => sys::GPUOPT_ADDRESS_BORDER,
        }
    }
}

/// How a kernel reads a texture; the default is points, by coordinates of texels, clamped.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextureOptions {
    /// 2 or 4: numbers of a texel, along the last axis; 0 or 1: one.
    pub channels: i32,
    /// The first axis is that of layers.
    pub layered: bool,
    /// Along x, which is the last axis of texels, y and z.
    pub address: [AddressMode; 3],
    /// Values between texels.
    pub linear: bool,
    /// Coordinates from 0 to 1.
    pub normalized: bool,
    /// Integers of 8 and 16 bits read as float, in [0, 1] or [-1, 1].
    pub normalized_float: bool,
}

/// An array as kernels read it by `tex2D()` and its like, or write it by `surf2Dwrite()`: an argument of a
/// [`RawKernel`](crate::RawKernel) for a `cudaTextureObject_t` or `cudaSurfaceObject_t`. It shares the array's elements
/// and keeps them alive. `clone` makes another reference to the same object.
///
/// ```
/// use gpuopt::{Device, RawKernel, Texture, TextureOptions};
/// # fn main() -> gpuopt::Result<()> {
/// let text = "__global__ void between(cudaTextureObject_t t, float *y) { *y = tex1D<float>(t, 1.25f); }";
/// let xp = Device::open("cpu")?;
/// let (x, mut y) = (xp.array(&[1.0f32, 2.0, 4.0], &[3])?, xp.array(&[0.0f32], &[1])?);
/// let texture = Texture::new(&x, TextureOptions { linear: true, ..Default::default() })?;
/// // SAFETY: the kernel writes one element of `y`, and nobody writes `x`.
/// unsafe { RawKernel::new(text, "between")?.launch(1, 1, (&texture, &mut y)) }?;
/// assert_eq!(y.to_vec::<f32>()?, [1.75]);
/// # Ok(()) }
/// ```
pub struct Texture {
    raw: NonNull<sys::gpuopt_texture_s>,
    object: u64,
}

// SAFETY: references are counted atomically, and nothing depends on which thread holds one.
unsafe impl Send for Texture {}
// SAFETY: as above.
unsafe impl Sync for Texture {}

impl Texture {
    /// A texture of an array. [`Code::TYPE`] for a dtype that texels cannot have, [`Code::SHAPE`] for axes that are not
    /// those of a texture, [`Code::INVALID_ARGUMENT`] for options that do not fit the dtype.
    pub fn new(x: &Array, options: TextureOptions) -> Result<Texture> {
        Texture::made(x, options, 0)
    }
    /// A surface of an array, whose texels have so many numbers, along its last axis; `layered`: the first axis is that
    /// of layers. Errors are those of [`Texture::new`]. A launch that writes it needs what a launch with `&mut` of the
    /// array needs.
    pub fn surface(x: &Array, channels: i32, layered: bool) -> Result<Texture> {
        Texture::made(x, TextureOptions { channels, layered, ..Default::default() }, 1)
    }
    fn made(x: &Array, options: TextureOptions, surface: i32) -> Result<Texture> {
        let [address_x, address_y, address_z] = options.address.map(AddressMode::to_raw);
        let options = sys::gpuopt_texture_options {
            channels: options.channels,
            layered: options.layered.into(),
            surface,
            address_x,
            address_y,
            address_z,
            linear: options.linear.into(),
            normalized_coordinates: options.normalized.into(),
            normalized_float: options.normalized_float.into(),
            ..sys::gpuopt_texture_options::new()
        };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the array and the options live, and the place for the handle is valid for the call.
        check(|e| unsafe { sys::gpuopt_texture_create(x.raw(), &options, &mut raw, e) })?;
        let missing = || Error::new(Code::INTERNAL, "the library gave no texture out");
        let raw = NonNull::new(raw).ok_or_else(missing)?;
        // SAFETY: the handle is valid.
        Ok(Texture { raw, object: unsafe { sys::gpuopt_texture_object(raw.as_ptr()) } })
    }
    /// The value of the object in kernels; valid while a reference lives.
    pub fn object(&self) -> u64 {
        self.object
    }
}
impl Clone for Texture {
    fn clone(&self) -> Texture {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_texture_retain(self.raw.as_ptr()) };
        Texture { raw: self.raw, object: self.object }
    }
}
impl Drop for Texture {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_texture_release(self.raw.as_ptr()) }
    }
}
impl fmt::Debug for Texture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Texture({:#x})", self.object)
    }
}
impl RawArgument for &Texture {
    fn part(&self) -> RawPart<'_> {
        texture_part(&self.object)
    }
}
