//! From what requests are lowered to, to results on their way: the commands are recorded, submitted and read back.

use crate::api::arrival::Arrival;
use crate::api::pending::{Finish, Next, Pending, Then};
use crate::api::reducer::GpuReducer;
use crate::api::request::Reader;
use crate::api::request::lowered::Lowered;
use crate::device::encode::{Ends, record};
use crate::device::readback::Readback;
use crate::device::timing::{Timer, split_times};
use crate::error::{Error, Result};
use crate::plan::recording::Recording;

/// A request among those of one submission.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    lowered: &'a Lowered,
    /// The buffer of the caller's that results stay in, if they do.
    place: Option<&'a wgpu::Buffer>,
    is_timed: bool,
}

/// A request that has been submitted, and what comes back of it.
#[derive(Debug)]
pub(crate) struct Started {
    arrival: Arrival,
    back: Back,
}

/// What comes back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Back {
    /// The size of the result.
    pub(crate) bytes: u64,
    /// The period of the two timestamps behind it, if there are any.
    pub(crate) period_ns: Option<f64>,
}

impl Back {
    pub(crate) const fn size_bytes(&self) -> u64 {
        self.bytes + if self.period_ns.is_some() { Timer::BYTES } else { 0 }
    }

    /// What `reader` makes of it, later.
    pub(crate) fn then<R>(self, reader: Reader<R>) -> Then<R> {
        Then::Read(reader, self)
    }

    /// What `reader` makes of the bytes that have come.
    pub(crate) fn read<R>(self, reader: &Reader<R>, bytes: &[u8]) -> Result<Next<R>> {
        let (result, gpu_ns) = split_times(bytes, self.bytes, self.period_ns);
        reader(result, gpu_ns)
    }
}

impl<'a> Member<'a> {
    pub(crate) const fn new(
        lowered: &'a Lowered,
        place: Option<&'a wgpu::Buffer>,
        is_timed: bool,
    ) -> Self {
        Self { lowered, place, is_timed }
    }

    /// Bytes of what comes back: of results that stay, something, since a buffer cannot be empty.
    pub(crate) fn back(&self, timer: Option<&Timer>) -> Back {
        let head = self.lowered.head.as_ref().map(|head| head.bytes.end - head.bytes.start);
        let bytes = if self.place.is_some() {
            NO_RESULT_BYTES
        } else {
            head.unwrap_or(self.lowered.host_bytes)
        };
        Back { bytes, period_ns: timer.map(Timer::period_ns) }
    }
}

impl Started {
    /// The result that `reader` makes of it.
    pub(crate) fn read<R>(self, reader: Reader<R>) -> Pending<R> {
        Pending::new(self.arrival, self.back.then(reader))
    }
}

impl GpuReducer {
    /// Records into the caller's encoder.
    pub(crate) fn record_into(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        output: &wgpu::Buffer,
    ) -> Result<()> {
        let ends = Ends { inputs, output };
        self.context
            .scoped(0, || record(&self.context, &self.pipelines, recording, ends, encoder, None))
    }

    /// Submits what `record` leaves in an encoder of its own.
    pub(crate) fn submit_encoded(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>,
    ) -> Result<()> {
        let context = &self.context;
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder =
            context.scoped(0, || Ok(context.device.create_command_encoder(&descriptor)))?;
        record(&mut encoder)?;
        context.scoped(0, || {
            context.submit(Some(encoder.finish()))?;
            Ok(())
        })
    }

    /// What is waited for as this reducer says.
    pub(crate) fn arrival(&self, readback: Readback, submission: wgpu::SubmissionIndex) -> Arrival {
        let arrival = Arrival::new(&self.context, readback, submission);
        #[cfg(not(target_family = "wasm"))]
        let arrival = arrival.with_patience(self.patience());
        arrival
    }

    /// Records, submits and asks for the result and, with a timer, the times behind it.
    pub(crate) fn submit<R>(
        &self,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        result_bytes: u64,
        timer: Option<&Timer>,
        finish: Finish<R>,
    ) -> Result<Pending<R>> {
        let arrival = self.submit_bytes(recording, inputs, result_bytes, timer)?;
        Ok(Pending::new(arrival, finish))
    }

    /// The same, whatever becomes of the bytes.
    pub(crate) fn submit_bytes(
        &self,
        recording: &Recording,
        inputs: &[&wgpu::Buffer],
        result_bytes: u64,
        timer: Option<&Timer>,
    ) -> Result<Arrival> {
        let context = &self.context;
        let bytes = result_bytes + if timer.is_some() { Timer::BYTES } else { 0 };
        let readback = Readback::of_result(context, bytes, timer.is_some())?;
        let submission = self.launch(bytes, &[&readback], |encoder| {
            let ends = Ends { inputs, output: readback.target() };
            let writes = timer.map(Timer::writes);
            record(context, &self.pipelines, recording, ends, encoder, writes.as_ref())?;
            if let Some(timer) = timer {
                timer.resolve(encoder, readback.target(), result_bytes);
            }
            readback.record(encoder, bytes);
            Ok(())
        })?;
        Ok(self.arrival(readback, submission))
    }

    /// Submits what `record` leaves in an encoder, and asks for what comes back, of so many bytes.
    pub(crate) fn launch(
        &self,
        bytes: u64,
        readbacks: &[&Readback],
        record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>,
    ) -> Result<wgpu::SubmissionIndex> {
        let context = &self.context;
        context.scoped(bytes, || {
            let descriptor = wgpu::CommandEncoderDescriptor::default();
            let mut encoder = context.device.create_command_encoder(&descriptor);
            record(&mut encoder)?;
            let submission = context.submit(Some(encoder.finish()))?;
            for readback in readbacks {
                readback.request(context);
            }
            Ok(submission)
        })
    }

    /// Records into the caller's encoder.
    pub(crate) fn record_lowered(
        &self,
        lowered: &Lowered,
        output: &wgpu::Buffer,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<()> {
        let recording = &lowered.plan.recording;
        let inputs: Vec<_> = lowered.inputs.iter().map(|held| &held.buffer).collect();
        self.record_into(encoder, recording, &inputs, output)
    }

    /// Submits one request.
    pub(crate) fn submit_lowered<R: 'static>(
        &self,
        member: Member<'_>,
        reader: Reader<R>,
    ) -> Result<Pending<R>> {
        let started = self.submit_all(&[member])?.pop();
        let message = "a request was not submitted";
        let missing = || Error::Internal { message: message.into() };
        Ok(started.ok_or_else(missing)?.read(reader))
    }

    /// A value that is there, once the device has done what it has been given.
    pub(crate) fn submit_nothing<R: Send + 'static>(&self, value: R) -> Result<Pending<R>> {
        let recording = Recording::new();
        let finish = Box::new(move |_: &[u8]| Ok(value));
        self.submit(&recording, &[], NO_RESULT_BYTES, None, finish)
    }

    /// Submits requests together.
    pub(crate) fn submit_all(&self, members: &[Member<'_>]) -> Result<Vec<Started>> {
        let context = &self.context;
        let mut prepared = Vec::with_capacity(members.len());
        for member in members {
            let timer = if member.is_timed { Timer::new(context)? } else { None };
            let back = member.back(timer.as_ref());
            let readback = Readback::of_result(context, back.size_bytes(), timer.is_some())?;
            prepared.push((member, timer, back, readback));
        }
        let bytes = prepared.iter().map(|(_, _, back, _)| back.size_bytes()).sum();
        let readbacks: Vec<_> = prepared.iter().map(|(.., readback)| readback).collect();
        let submission = self.launch(bytes, &readbacks, |encoder| {
            prepared.iter().try_for_each(|(member, timer, back, readback)| {
                self.record_member(encoder, member, timer.as_ref(), *back, readback)
            })
        })?;
        let started = prepared.into_iter().map(|(_, _, back, readback)| Started {
            arrival: self.arrival(readback, submission.clone()),
            back,
        });
        Ok(started.collect())
    }

    fn record_member(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        member: &Member<'_>,
        timer: Option<&Timer>,
        back: Back,
        readback: &Readback,
    ) -> Result<()> {
        let Member { lowered, place, .. } = member;
        let inputs: Vec<_> = lowered.inputs.iter().map(|held| &held.buffer).collect();
        let own = lowered.head.as_ref().map(|head| &*head.output);
        let output = place.or(own).unwrap_or_else(|| readback.target());
        let recording = &lowered.plan.recording;
        let writes = timer.map(Timer::writes);
        let ends = Ends { inputs: &inputs, output };
        record(&self.context, &self.pipelines, recording, ends, encoder, writes.as_ref())?;
        if let (None, Some(head)) = (place, &lowered.head) {
            let (target, start) = (readback.target(), head.bytes.start);
            encoder.copy_buffer_to_buffer(&head.output, start, target, 0, back.bytes);
        }
        if let Some(timer) = timer {
            timer.resolve(encoder, readback.target(), back.bytes);
        }
        readback.record(encoder, back.size_bytes());
        Ok(())
    }
}

/// What is read back where results stay.
const NO_RESULT_BYTES: u64 = 8;
