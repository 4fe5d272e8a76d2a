//! One result of a whole input.

use crate::api::buffer::GpuSlice;
use crate::api::input::{Input, Inputs};
use crate::api::pending::Next;
use crate::api::reducer::GpuReducer;
use crate::api::request::along::Along;
use crate::api::request::counted::Counted;
use crate::api::request::groups::Groups;
use crate::api::request::lowered::{Ends, Lowered};
use crate::api::request::masked::Masked;
use crate::api::request::runs::ByRuns;
use crate::api::request::segments::Segments;
use crate::api::request::work::{HostWork, OneBuffer, Reader, Together, Work};
use crate::api::request::{Bin, OneChannel, Request, Unweighted};
use crate::device::allowance::Held;
use crate::error::Result;
use crate::op::fold::{Finisher, Folds, Left, Many};
use crate::op::{
    AlongFold, DeviceFold, Element, ElementKind, Exact, Fold, Partial, ShapedFold, Unrounded,
};
use crate::plan::folding::Folding;
use crate::plan::planned::{Outputs, Plan, WholeTuning};
use crate::plan::shapes::axis::{Axes, AxisSet, Matrix, View};
use crate::plan::shapes::batch;
use crate::plan::shapes::bins::Bins;
use crate::plan::shapes::groups::GroupKey;
use crate::plan::shapes::runs::Key;
use std::marker::PhantomData;
use std::sync::Arc;

/// One result of a whole input: what [`GpuReducer::reduce`] makes.
#[derive(Debug, Clone)]
pub struct Whole<'a, F, I> {
    pub(crate) fold: F,
    pub(crate) inputs: Inputs<'a>,
    tuning: Option<WholeTuning>,
    items: PhantomData<fn() -> I>,
}

impl GpuReducer {
    /// A request to reduce an input by an operation: to one result, unless a shape is given. [`Request`] lists shapes and verbs.
    ///
    /// The input is a [`GpuBuffer`](crate::GpuBuffer), a [`GpuSlice`], a sequence of either, which is one input of all their elements, or a tuple of two
    /// of these, whose elements are paired. The operation is one of [`Operation`](crate::Operation)'s, of
    /// [`PairOperation`](crate::PairOperation)'s for pairs, or a reference to a [`CustomOp`](crate::CustomOp).
    ///
    /// What comes is one value of the type that [`Operation`](crate::Operation) lists; NaN, ties and no elements are as the operation
    /// defines them. Integers, extremes, indices, counts and exact sums have the same bits on every device. Floats that round
    /// have the same bits on every run on one adapter with one tuning, and [`Operation::tolerance`](crate::Operation::tolerance) bounds their error.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Dot, Max, Sum};
    ///
    /// let buffer = reducer.upload(&[1.5_f32, -2.0, 4.0])?;
    /// assert_eq!(reducer.reduce(Sum, &buffer).run()?, 3.5);
    /// assert_eq!(reducer.reduce(Max, buffer.slice(..2)?).run()?, 1.5);
    /// assert_eq!(reducer.reduce(Dot, (&buffer, &buffer)).run()?, 22.25);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn reduce<'a, I: Input<'a>, F: Fold<I::Item>>(
        &self,
        fold: F,
        input: I,
    ) -> Request<Whole<'a, F, I::Item>> {
        let inputs = input.inputs();
        Request::new(self, Whole { fold, inputs, tuning: None, items: PhantomData })
    }

    /// A request to count elements in bins: a histogram. [`Request`] lists the verbs.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Bins;
    ///
    /// let pixels = reducer.upload(&[255_u8, 0, 0, 255, 255, 0])?;
    /// let rgb = reducer.bin(&pixels, &Bins::even(0..256, 256)?).channels(3).run()?;
    /// assert_eq!((rgb[0].counts[255], rgb[1].counts[255], rgb[2].counts[0]), (2, 1, 2));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// An element is in a bin if it is not below its lower edge and below its upper one; the last bin has both edges. Elements
    /// are compared with the [edges](Bins::edges_for) exactly, −0 is 0, and what is outside of all bins or NaN is counted
    /// apart. Counts have 64 bits. The result is the same on every device. Of no elements all counts are 0.
    ///
    /// Elements of 8 bits are counted by their values, whatever the bins are. Others find their bin by a shift or a product
    /// where the edges are even, and by halving where they are not or rounding might matter. Each workgroup counts in its own
    /// memory, in several copies so that equal elements do not wait for each other, and adds its counts to the totals; bins
    /// that are too many for that are counted in the totals at once. The method is that of privatised histograms
    /// (Podlozhnyuk, *Histogram calculation in CUDA*, 2007).
    ///
    /// What is left on the GPU are [so many](Bins::output_len) numbers for each channel: of the bins, of what is below and above
    /// them, and of NaN.
    pub fn bin<'a, T: Element>(
        &self,
        input: impl Input<'a, Item = T>,
        bins: &'a Bins,
    ) -> Request<Bin<'a, T, Unweighted, OneChannel>> {
        Request::new(self, Bin::new(input.inputs(), bins))
    }
}

impl<'a, F: AlongFold<I>, I> Request<Whole<'a, F, I>> {
    /// Reduces along one axis of a view, or several: a result for each position of the other axes, in their row-major order.
    /// [`View::without`] tells the shape, and [`View::with_ones`] the one that NumPy calls `keepdims`.
    ///
    /// Axes are [`Axes`]: a number, or an array, a slice or a vector of numbers, whose order does not matter. Along no axis every
    /// element has a result of its own; along all there is one result.
    ///
    /// Two inputs both have the view: `reduce(Dot, (&a, &b)).rows(matrix)` gives the dot product of each row of one with that of the other.
    ///
    /// Every result is that of the elements along the axes, in all but rounding: NaN, ties and no elements are as the operation
    /// defines them. Indices count along the axis; of several axes they count row-major in the view's order of these. Nothing
    /// outside the view is read. An input of several buffers is one sequence of elements, and a row may begin in one and end in
    /// the next, but for order statistics. No positions give no results. A custom operator folds the elements row-major.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ArgMax, Max, View};
    ///
    /// let buffer = reducer.upload(&[1_i32, 5, 3, 4, 2, 6, 0, 0, 9, 1, 1, 1])?;
    /// let view = View::new(&[2, 3, 2])?;
    /// assert_eq!(reducer.reduce(Max, &buffer).along(view, 1).run()?, [3, 6, 9, 1]);
    ///
    /// // As `x.max(axis=(0, 2))` of NumPy.
    /// assert_eq!(reducer.reduce(Max, &buffer).along(view, [0, 2]).run()?, [5, 9, 6]);
    /// assert_eq!((view.without([0, 2])?, view.with_ones([0, 2])?), (vec![3], vec![1, 3, 1]));
    /// // The largest element of the second result has the position (1, 0) on these axes, of 2 by 2.
    /// let found = reducer.reduce(ArgMax, &buffer).along(view, [0, 2]).run()?;
    /// assert_eq!((found[1].value, found[1].index), (9, 2));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// Elements of several axes that are not one stride apart are reduced in two passes. The first goes through the elements
    /// once; its partials, a small part of them, are combined in the second, in an order that the plan fixes.
    ///
    /// # Errors
    ///
    /// The verbs fail with [`Error::InvalidView`](crate::Error::InvalidView) if there is no such axis, an axis is named twice, or elements of the view
    /// lie behind the end of the input, with [`Error::Empty`](crate::Error::Empty) if an axis has no elements, there are positions, and the
    /// operation has no result of none, and with [`Error::EmptyResult`](crate::Error::EmptyResult) if a result is of elements none of which counts. Two inputs fail with
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if one has more elements. Order
    /// statistics fail with [`Error::InvalidRank`](crate::Error::InvalidRank) where there is no such rank, and with
    /// [`Error::Unsupported`](crate::Error::Unsupported) if one binding does not hold a result's elements. Others fail with it if one
    /// binding does not hold the partials of one result.
    pub fn along(self, view: impl Into<View>, axes: impl Axes) -> Request<Along<'a, F, I>> {
        let (view, axes) = (view.into(), AxisSet::new(&axes));
        self.map(|whole| Along { whole, view, axes, mask: None, tuning: None })
    }

    /// Reduces each row of a matrix: [`along`](Self::along) the axis 1.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Matrix, Sum};
    ///
    /// let matrix = reducer.upload(&[1_u32, 9, 2, 7, 5, 6])?;
    /// assert_eq!(reducer.reduce(Sum, &matrix).rows(Matrix { rows: 2, columns: 3 }).run()?, [12, 18]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn rows(self, matrix: Matrix) -> Request<Along<'a, F, I>> {
        self.along(matrix, 1)
    }

    /// Reduces each column of a matrix: [`along`](Self::along) the axis 0.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Matrix, Sum};
    ///
    /// let matrix = reducer.upload(&[1_u32, 9, 2, 7, 5, 6])?;
    /// assert_eq!(reducer.reduce(Sum, &matrix).columns(Matrix { rows: 2, columns: 3 }).run()?, [8, 14, 8]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn columns(self, matrix: Matrix) -> Request<Along<'a, F, I>> {
        self.along(matrix, 0)
    }
}

impl<'a, F: ShapedFold<I>, I> Request<Whole<'a, F, I>> {
    /// Reduces consecutive segments of the input, each to a result of its own.
    ///
    /// `offsets` has one number more than there are segments, as in sparse matrices by rows: segment i has the elements from
    /// number `offsets[i]` on, up to but without number `offsets[i + 1]`. The first may be above 0 and the last below the
    /// input's length; what is outside is not looked at. Segments may have any lengths, from millions of empty ones to one
    /// that has everything, also side by side: the work is balanced by elements and segments together.
    ///
    /// Each result is that of the segment alone, but for rounding; indices count from the segment's first element. An empty
    /// segment has the operation's result of none. [`Plan::accuracy_of`](crate::Plan::accuracy_of) leads to bounds. Bits are the same on every run on one
    /// adapter with one tuning; they may depend on where the segment lies. A custom operator folds each segment in order.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{Max, Sum};
    ///
    /// let values = reducer.upload(&[3_i32, 1, 4, 1, 5, 9])?;
    /// let offsets = reducer.upload(&[0_u32, 2, 2, 6])?;
    /// assert_eq!(reducer.reduce(Sum, &values).segments(&offsets).run()?, [4, 0, 19]);
    ///
    /// let offsets = reducer.upload(&[1_u32, 4, 5])?;
    /// assert_eq!(reducer.reduce(Max, &values).segments(&offsets).run()?, [4, 5]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// The method: tiles of equal work by the merge of ends and elements (Merrill and Garland, *Merge-based parallel sparse
    /// matrix-vector multiplication*, 2016), and in each a segmented scan.
    ///
    /// # Errors
    ///
    /// When the results come, [`Error::InvalidOffsets`](crate::Error::InvalidOffsets) if offsets decrease or reach beyond the input, with the first
    /// that is wrong, and [`Error::EmptySegment`](crate::Error::EmptySegment) if a segment is empty, or has nothing but NaN where that does not count, and the
    /// operation has no result of that. Before, [`Error::InvalidOffsets`](crate::Error::InvalidOffsets) if there is no offset at all, and
    /// [`Error::Unsupported`](crate::Error::Unsupported) if there are 2^32 - 1 elements or more, or so many segments that one binding
    /// ([`Caps::max_binding_bytes`](crate::Caps::max_binding_bytes)) does not hold offsets or results.
    pub fn segments(self, offsets: impl Into<GpuSlice<'a, u32>>) -> Request<Segments<'a, F, I>> {
        let offsets = offsets.into();
        self.map(|whole| Segments { whole, offsets, tuning: None })
    }

    /// Reduces the values of each run of equal keys: value i belongs to key i. What comes are the runs in their order, each with
    /// its key and its result.
    ///
    /// Keys that are equal but have others between them are runs of their own; sorted keys have one run each. Integers are
    /// equal if they are the same. Floats are as numbers: a run may have −0 and +0, and each NaN is a run of its own. The key of
    /// a run is its first. Results are those of [`segments`](Self::segments) over the runs. No keys have no runs.
    ///
    /// Room for as many results as there are values is made on the GPU. Where that is more than 256 KiB the number of runs is
    /// read first and then as many results, else all at once.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{GpuBuffer, Sum};
    ///
    /// let keys = reducer.upload(&[7_u32, 7, 2, 2, 2, 7])?;
    /// let values = reducer.upload(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let request = reducer.reduce(Sum, &values).runs(&keys);
    /// assert_eq!(request.run()?, [(7, 3.0), (2, 12.0), (7, 6.0)]);
    ///
    /// // Or left on the GPU, with their number, which a further request may read there.
    /// let runs = request.to_buffer()?;
    /// let total: GpuBuffer<f32> = reducer.reduce(Sum, &runs.results).counted(&runs.count).to_buffer()?;
    /// assert_eq!(total.download(&reducer)?, [21.0]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The verbs fail with [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as values, with
    /// [`Error::Unsupported`](crate::Error::Unsupported) if one binding does not hold the keys, or a result for each, and with
    /// [`Error::EmptySegment`](crate::Error::EmptySegment) if a run has nothing but NaN and the operation leaves that out.
    pub fn runs<K: Key>(self, keys: impl Into<GpuSlice<'a, K>>) -> Request<ByRuns<'a, F, I, K>> {
        let keys = keys.into();
        self.map(|whole| ByRuns { whole, keys, tuning: None })
    }

    /// Reduces groups of equal keys, which come in any order: element i belongs to the group whose number is key i. What comes is a
    /// result for each of `groups` groups.
    ///
    /// Operations are sums, counts, extremes and their indices, bits, and of integers means, variances and norms. Of floats `sum` and
    /// `nan_sum` are exact and rounded once, as [`SumExact`](crate::SumExact) is, and [`MeanExact`](crate::MeanExact) is the mean. So every
    /// result has the same bits on every device, with every tuning. NaN and ties are as the operation defines them; indices are those in
    /// the whole input. A group without elements has the operation's result of none.
    ///
    /// Keys are an input of [`GroupKey`](crate::GroupKey)s: a buffer, a slice, or several of either. They may be cut elsewhere than the
    /// elements.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ArgMax, Error, MeanExact, Sum};
    ///
    /// let keys = reducer.upload(&[2_u32, 0, 2, 0, 2])?;
    /// let values = reducer.upload(&[1e30_f32, 1.5, 1.0, 2.5, -1e30])?;
    /// assert_eq!(reducer.reduce(Sum, &values).groups(&keys, 3).run()?, [4.0, 0.0, 1.0]);
    ///
    /// let empty = reducer.reduce(MeanExact, &values).groups(&keys, 3).run();
    /// assert_eq!(empty, Err(Error::EmptyGroup { operation: "mean_exact", group: 1 }));
    /// let wrong = reducer.reduce(ArgMax, &values).groups(&keys, 2).run();
    /// assert_eq!(wrong, Err(Error::InvalidKey { index: 0, key: Some(2), groups: 2 }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// Elements are merged by atomic operations on integers, in workgroup memory or in the totals of all workgroups. The input is read once;
    /// twice for extremes of 64 bits and for indices, and three times for indices of extremes of 64 bits. Totals take as many words as
    /// accumulators have; those of exact sums take up to 100 bytes a group, of `f64` up to 560.
    ///
    /// Where results stay on the GPU nobody tells of a wrong key: its element is left out. A group without elements has some value there,
    /// if there is no result of none. Means and variances stay as sums, without the numbers of elements that they are divided by.
    ///
    /// # Errors
    ///
    /// The verbs fail with [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as elements. They fail with
    /// [`Error::Unsupported`](crate::Error::Unsupported) for other operations, for more than 2^24 groups, and for so many that one binding
    /// does not hold their totals; also for 2^32 − 1 elements and more, of exact sums 2^31.
    ///
    /// When the results come, [`Error::InvalidKey`](crate::Error::InvalidKey) tells of a key that is of no group, and
    /// [`Error::EmptyGroup`](crate::Error::EmptyGroup) of a group without elements where there is no result of none.
    pub fn groups<K: GroupKey>(
        self,
        keys: impl Input<'a, Item = K>,
        groups: u32,
    ) -> Request<Groups<'a, F, I>> {
        let keys = keys.inputs();
        self.map(|whole| Groups { whole, keys, count: groups, tuning: None })
    }

    /// Reduces the elements whose byte in a mask is not zero: one byte for each element, as NumPy's `bool`. It is what `where=` is to
    /// NumPy's `sum`, without a copy of these elements.
    ///
    /// The result is that of these elements alone, but for rounding. Indices are those in the whole input. What does not count never
    /// shows, NaN neither. Where nothing counts it is the operation's result of none: 0 of a sum, and
    /// [`Error::Empty`](crate::Error::Empty) where there is none. Ties go to the lowest index.
    ///
    /// A mask is an input of `u8`: a buffer, a slice, or several of either. It may be cut elsewhere than the elements.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ArgMax, Error, Max, Mean, Sum};
    ///
    /// let values = reducer.upload(&[1.5_f32, f32::NAN, 4.0, 2.0])?;
    /// let mask = reducer.upload(&[1_u8, 0, 0, 1])?;
    /// assert_eq!(reducer.reduce(Sum, &values).masked(&mask).run()?, 3.5);
    /// assert_eq!(reducer.reduce(Mean, &values).masked(&mask).run()?, 1.75);
    /// assert_eq!(reducer.reduce(ArgMax, &values).masked(&mask).run()?.index, 3);
    ///
    /// let nothing = reducer.upload(&[0_u8; 4])?;
    /// assert_eq!(reducer.reduce(Sum, &values).masked(&nothing).run()?, 0.0);
    /// let empty = reducer.reduce(Max, &values).masked(&nothing).run();
    /// assert_eq!(empty, Err(Error::Empty { operation: "max" }));
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// Results that stay on the GPU come without the number of elements that counted; [`CountNonZero`](crate::CountNonZero) of the
    /// mask is that number. Where nothing counts and there is no result of none, some value is left.
    ///
    /// # Errors
    ///
    /// The verbs fail with [`Error::LengthMismatch`](crate::Error::LengthMismatch) if the mask has not as many elements as the input, with
    /// [`Error::Unsupported`](crate::Error::Unsupported) for pairs and custom operators, for indices of 2^32 elements and more, and,
    /// but for exact sums, where a shader may have only four storage buffers; otherwise as without a mask. Exact sums take no tuning here. When
    /// the result comes, [`Error::Empty`](crate::Error::Empty) if no element counted and the operation has no result of none.
    pub fn masked(self, mask: impl Input<'a, Item = u8>) -> Request<Masked<'a, F, I>> {
        let mask = mask.inputs();
        self.map(|whole| Masked { whole, mask, tuning: None })
    }

    /// Reduces the first elements of the input, as many as the first number in `count` says, which may lie on the GPU
    /// because another pass has left it there. Where there are not so many, all elements are reduced.
    ///
    /// The result can only stay on the GPU. Where the operation has no result of nothing and there are none, some value is left.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::Sum;
    ///
    /// let (values, count) = (reducer.upload(&[1_u32, 2, 3, 4])?, reducer.upload(&[3_u32])?);
    /// let sum = reducer.reduce(Sum, &values).counted(&count).to_buffer()?;
    /// assert_eq!(sum.download(&reducer)?, [6_u64]);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the whole input, except that an input without elements is allowed; [`Error::InvalidRange`](crate::Error::InvalidRange) if `count` has no element.
    pub fn counted(self, count: impl Into<GpuSlice<'a, u32>>) -> Request<Counted<'a, F, I>> {
        let count = count.into();
        self.map(|whole| Counted { whole, count, tuning: None })
    }
}

impl<'a, F: Exact<I>, I> Request<Whole<'a, F, I>> {
    /// Leaves an exact sum as an [`ExactSum`](crate::ExactSum), which can be merged with others in any order, to the same bits as one.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::SumExact;
    ///
    /// let parts = [reducer.upload(&[1e30_f32, 1.0])?, reducer.upload(&[-1e30_f32])?];
    /// let mut sum = reducer.reduce(SumExact, &parts[0]).unrounded().run()?;
    /// sum += &reducer.reduce(SumExact, &parts[1]).unrounded().run()?;
    /// assert_eq!(sum.round(), 1.0);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn unrounded(self) -> Request<Whole<'a, Unrounded<F>, I>>
    where
        Unrounded<F>: Fold<I>,
    {
        self.map(|whole| whole.with(Unrounded::new))
    }

    /// Leaves an exact sum as what the GPU has left, an [`ExactPartial`](crate::ExactPartial): words that can be sent elsewhere.
    ///
    /// ```
    /// # let reducer = wgpu_reduce::GpuReducer::new()?;
    /// use wgpu_reduce::{ExactSum, SumExact};
    ///
    /// let partial = reducer.reduce(SumExact, &reducer.upload(&[1.5_f32, 2.0])?).partial().run()?;
    /// assert_eq!(ExactSum::from(partial).round(), 3.5);
    /// # Ok::<(), wgpu_reduce::Error>(())
    /// ```
    pub fn partial(self) -> Request<Whole<'a, Partial<F>, I>>
    where
        Partial<F>: Fold<I>,
    {
        self.map(|whole| whole.with(Partial::new))
    }
}

impl<'a, F, I> Whole<'a, F, I> {
    /// Keeps the inputs and the tuning, and changes the fold.
    fn with<G>(self, fold: impl FnOnce(F) -> G) -> Whole<'a, G, I> {
        let Self { inputs, tuning, .. } = self;
        Whole { fold: fold(self.fold), inputs, tuning, items: PhantomData }
    }
}

impl<F: ShapedFold<I>, I> Whole<'_, F, I> {
    /// What several results of it are.
    pub(crate) fn many(&self) -> Result<Many> {
        let element = self.inputs.element;
        let folding = Folding::of(self.fold.folds(), element)?;
        let result_bytes = usize::try_from(folding.output_bytes()).unwrap_or(usize::MAX);
        Ok(Many { operation: folding.name(), element, result_bytes })
    }
}

impl<F: Fold<I>, I> Work for Whole<'_, F, I> {
    type Tuning = WholeTuning;

    fn tune(&mut self, tuning: WholeTuning) {
        self.tuning = Some(tuning);
    }

    fn plan(&self, reducer: &GpuReducer) -> Result<Plan> {
        let fold = self.fold.folds();
        Ok(reducer.lower_whole(fold, &self.inputs, self.tuning, Ends::Host)?.plan)
    }
}

impl<F: Fold<I>, I> HostWork for Whole<'_, F, I> {
    type Output = F::Output;

    fn to_host(&self, reducer: &GpuReducer, _: bool) -> Result<(Lowered, Reader<F::Output>)> {
        let fold = self.fold.folds();
        let lowered = reducer.lower_whole(fold, &self.inputs, self.tuning, Ends::Host)?;
        let reader = reader(&lowered, self.fold.finisher(), &self.inputs);
        Ok((lowered, reader))
    }

    fn together(reducer: &GpuReducer, all: &[&Self]) -> Together<F::Output> {
        let first = all.first()?;
        let Folds::Operation(operation) = first.fold.folds() else { return None };
        let element = first.inputs.element;
        let is_alike = |one: &&Self| {
            matches!(one.fold.folds(), Folds::Operation(other) if other == operation)
                && one.tuning.is_none()
                && one.inputs.element == element
        };
        if !all.iter().all(is_alike) {
            return None;
        }
        let inputs: Vec<_> = all.iter().map(|one| &one.inputs.parts).collect();
        let tuning = |len| reducer.tuning(operation, element, len);
        let plan = batch::lower((operation, element), &inputs, tuning, &reducer.context.caps);
        let buffers = all.iter().flat_map(|one| one.inputs.buffers.iter().copied().cloned());
        let buffers = buffers.map(Held::of_caller).collect();
        let finishers = all.iter().map(|one| (one.fold.finisher(), one.inputs.len())).collect();
        let plan = plan.map_err(|error| reducer.with_adapter(error));
        Some(plan.map(|plan| {
            let reader = reader_of_many(&plan, element, finishers);
            (Lowered::new(plan, buffers), reader)
        }))
    }
}

/// Makes the result of what comes back of one input.
fn reader<R: Send + 'static>(
    lowered: &Lowered,
    finisher: Finisher<R>,
    inputs: &Inputs<'_>,
) -> Reader<R> {
    let (element, len) = (inputs.element, inputs.len());
    let records = match &lowered.plan.outputs {
        Outputs::Digits(records) => Some(records.clone()),
        _ => None,
    };
    Arc::new(move |bytes, _| {
        let left = Left { bytes, element, len, digits: records.as_ref() };
        finisher.finish(left).map(Next::Value)
    })
}

/// Makes the results of what comes back of many inputs.
fn reader_of_many<R: Send + 'static>(
    plan: &Plan,
    element: ElementKind,
    finishers: Vec<(Finisher<R>, u64)>,
) -> Reader<Vec<R>> {
    let result_bytes = usize::try_from(plan.result_bytes).unwrap_or(1).max(1);
    Arc::new(move |bytes, _| {
        let each = bytes.chunks(result_bytes).zip(&finishers);
        let result = |(bytes, (finisher, len)): (_, &(Finisher<R>, u64))| {
            finisher.finish(Left { bytes, element, len: *len, digits: None })
        };
        each.map(result).collect::<Result<_>>().map(Next::Value)
    })
}

impl<F: DeviceFold<I>, I> OneBuffer for Whole<'_, F, I> {
    type Raw = F::Raw;

    fn results(&self) -> Result<u64> {
        Ok(1)
    }

    fn lower(&self, reducer: &GpuReducer, ends: Ends<'_>) -> Result<Lowered> {
        reducer.lower_whole(self.fold.folds(), &self.inputs, self.tuning, ends)
    }
}
