//! Views and their errors, and how many shaders there are along an axis.

use wgpu_reduce::planners::AxisShader;
use wgpu_reduce::{Error, Matrix, View};

#[test]
fn there_are_shaders_along_an_axis() {
    assert!(AxisShader::all().count() > 1000);
}

#[test]
fn views_that_cannot_be_are_refused() {
    let refused = |view: Result<View, Error>| match view {
        Err(Error::InvalidView { what }) => what,
        other => panic!("{other:?}"),
    };
    let what = refused(View::new(&[]));
    assert_eq!(what, "it has 0 dimensions, and there must be 1 to 6");
    refused(View::new(&[1; 7]));
    refused(View::strided(&[2, 3], &[1], 0));
    refused(View::new(&[1 << 32, 1 << 32]));
    let what = refused(View::strided(&[2, 3], &[3, -1], 1));
    assert_eq!(what, "its elements have the indices -1 to 4");
    assert!(View::strided(&[2, 3], &[3, -1], 2).is_ok());
    // Nothing lies anywhere.
    assert!(View::strided(&[0, 3], &[3, -1], 1).is_ok());
    assert_eq!(
        View::new(&[4, 5]).unwrap().without(2).map_err(|error| error.to_string()),
        Err("the view cannot be used: there is no axis 2: it has 2 dimensions".to_owned())
    );
    let huge = View::from(Matrix { rows: u64::MAX, columns: 7 });
    assert!(huge.len() > 1 << 62);
}
