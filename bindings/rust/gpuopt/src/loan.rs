// bindings/rust/gpuopt/src/loan.rs -- who is using the elements of an array, counted at run time.
//
// Clones and views reach the same elements, so `&mut` alone does not make a write exclusive. They share one `Loan`: it
// counts readers, or says that there is a writer, for the time of a call or the life of a slice.
use crate::{Code, Error, Result};
use std::sync::atomic::{AtomicIsize, Ordering};

const WRITER: isize = -1;

/// The uses of some elements: a number of readers, or `WRITER`.
#[derive(Default)]
pub(crate) struct Loan(AtomicIsize);

/// The elements are read until this goes.
pub(crate) struct Reading<'a>(&'a Loan);
/// The elements are written until this goes, and by nobody else.
pub(crate) struct Writing<'a>(&'a Loan);

impl Loan {
    pub(crate) fn read(&self) -> Result<Reading<'_>> {
        let more = |uses| if uses == WRITER { None } else { Some(uses + 1) };
        match self.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, more) {
            Ok(_) => Ok(Reading(self)),
            Err(_) => Err(Error::new(
                Code::INVALID_ARGUMENT,
                "the elements of the array are being written: by another thread, or through a slice that still lives",
            )),
        }
    }
    pub(crate) fn write(&self) -> Result<Writing<'_>> {
        match self.0.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Writing(self)),
            Err(_) => Err(Error::new(
                Code::INVALID_ARGUMENT,
                "the elements of the array are in use: by another thread, or through a slice that still lives",
            )),
        }
    }
}
impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0 .0.fetch_sub(1, Ordering::Release);
    }
}
impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0 .0.store(0, Ordering::Release);
    }
}
