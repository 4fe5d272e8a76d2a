//! What a reduction prints.

use crate::check::Check;
use crate::dot;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::spent::Spent;
use crate::stream::Passage;
use serde::Serialize;
use std::io::Write;
use wgpu_reduce::{ElementKind, Tuning};

/// The result, and how it was come by.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) op: &'static str,
    pub(crate) value: Figures,
    pub(crate) elements: u64,
    #[serde(serialize_with = "as_name")]
    pub(crate) dtype: ElementKind,
    pub(crate) adapter: String,
    /// Whether the GPU's time was asked for.
    #[serde(skip)]
    pub(crate) is_timed: bool,
    /// Microseconds of GPU time, where it was asked for and the device has timestamps and the whole input.
    pub(crate) gpu_us: Option<f64>,
    /// Bytes read in that time, in units of 10^9 per second.
    pub(crate) gb_per_s: Option<f64>,
    /// What was used, where tunings were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tuning: Option<Tuning>,
    /// How an input passed through that was not on the GPU as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) streamed: Option<Passage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<Check>,
    /// Where the time of the command has gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spent: Option<Spent>,
    /// Why a sum is infinite or NaN, where no check tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<&'static str>,
}

impl Report {
    /// Prints it, and fails if the check did, whether or not anybody reads on.
    pub(crate) fn print(&self, json: bool, out: &mut impl Write) -> Result<(), Failure> {
        let printed = if json { self.print_json(out) } else { self.print_table(out) };
        self.verdict().and(printed)
    }

    /// One object on one line.
    fn print_json(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "{}", serde_json::to_string(self)?)?;
        Ok(())
    }

    fn print_table(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut rows = vec![("op", self.op.into())];
        rows.extend(self.value.iter().map(|(name, number)| (name, number.to_string())));
        rows.extend([
            ("elements", self.elements.to_string()),
            ("dtype", self.dtype.to_string()),
            ("adapter", self.adapter.clone()),
        ]);
        rows.extend(self.note.map(|note| ("note", note.into())));
        rows.extend(self.times().into_iter().flatten());
        rows.extend(self.tuning.map(|tuning| ("tuning", tuning.to_string())));
        if let Some(check) = &self.check {
            let cpu = if check.cpu.is_single() { "cpu value" } else { "cpu" };
            rows.push((cpu, check.cpu.to_string()));
            rows.push(("difference", check.difference.to_string()));
            rows.push(("bound", check.bound.to_string()));
            if check.note.is_none() {
                rows.extend(check.doubt.map(|doubt| ("note", doubt.into())));
            }
            let verdict = match check.ok {
                Some(ok) => {
                    if ok {
                        "ok"
                    } else {
                        "FAILED"
                    }
                }
                None => check.note.unwrap_or("undecided"),
            };
            rows.push(("check", verdict.into()));
        }
        for (name, value) in rows {
            writeln!(out, "{name:<10}  {value}")?;
        }
        Ok(())
    }

    /// How long it took, where there is something to say.
    fn times(&self) -> Option<[(&'static str, String); 2]> {
        if let Some(Passage { seconds, gb_per_s }) = self.streamed {
            let (time, rate) = (format!("{seconds:.3} s"), format!("{gb_per_s:.2} GB/s"));
            return Some([("time", time), ("rate", rate)]);
        }
        let time = || self.gpu_us.map_or(UNTIMED.into(), |us| format!("{us:.1} us"));
        let rate = || self.gb_per_s.map_or(UNTIMED.into(), |rate| format!("{rate:.2} GB/s"));
        self.is_timed.then(|| [("gpu time", time()), ("gpu rate", rate())])
    }

    /// The failure of the check, if it failed.
    pub(crate) fn verdict(&self) -> Result<(), Failure> {
        match &self.check {
            Some(check) if check.ok == Some(false) => Err(Failure::Failed(format!(
                "check failed: {} on the GPU and {} on the CPU differ by {}, more than {}",
                self.value, check.cpu, check.difference, check.bound
            ))),
            _ => Ok(()),
        }
    }
}

/// Returns why the value of a sum is infinite or NaN.
pub(crate) fn overflow(op: &str, value: &Figures, dtype: ElementKind) -> Option<&'static str> {
    match op {
        _ if value.first().to_f64().is_finite() => None,
        "dot" if !dot::has_exact(dtype) => {
            Some("some input is infinite or NaN, or a partial sum has overflowed")
        }
        "sum" | "dot" => Some(
            "some input is infinite or NaN, or a partial sum has overflowed; none does with --exact",
        ),
        "nan_sum" => Some("some input is infinite, or a partial sum has overflowed"),
        _ => None,
    }
}

const UNTIMED: &str = "unknown (the device has no timestamps)";

/// Writes a type by its name.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn as_name<S: serde::Serializer>(
    kind: &ElementKind,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

#[cfg(test)]
mod tests {
    use super::Report;
    use crate::check::Check;
    use crate::failure::{Failure, tests::Closed};
    use wgpu_reduce::ElementKind;

    fn report(check: Option<Check>) -> Report {
        Report {
            op: "sum",
            value: 0.1_f32.into(),
            elements: 3,
            dtype: ElementKind::F32,
            adapter: "A \"quoted\" name (Vulkan)".into(),
            is_timed: false,
            gpu_us: None,
            gb_per_s: None,
            tuning: None,
            streamed: None,
            check,
            spent: None,
            note: None,
        }
    }

    fn check(ok: bool) -> Check {
        Check {
            cpu: 0.25_f64.into(),
            difference: 0.15_f64.into(),
            bound: 0.5_f64.into(),
            ok: Some(ok),
            note: None,
            doubt: None,
        }
    }

    #[test]
    fn json_has_the_keys_that_are_promised() {
        let mut out = Vec::new();
        report(None).print_json(&mut out).unwrap();
        report(Some(check(true))).print_json(&mut out).unwrap();
        let start = concat!(
            r#"{"op":"sum","value":0.1,"elements":3,"dtype":"f32","#,
            r#""adapter":"A \"quoted\" name (Vulkan)","gpu_us":null,"gb_per_s":null"#,
        );
        let check = r#","check":{"cpu":0.25,"difference":0.15,"bound":0.5,"ok":true}"#;
        assert_eq!(String::from_utf8(out).unwrap(), format!("{start}}}\n{start}{check}}}\n"));
        let mut out = Vec::new();
        Report { note: Some("why"), ..report(None) }.print_json(&mut out).unwrap();
        let noted = format!("{start},\"note\":\"why\"}}\n");
        assert_eq!(String::from_utf8(out).unwrap(), noted);
    }

    #[test]
    fn a_failed_check_is_printed_and_fails() {
        assert!(report(None).verdict().is_ok());
        assert!(report(Some(check(true))).verdict().is_ok());
        let failed = report(Some(check(false)));
        let mut out = Vec::new();
        failed.print_table(&mut out).unwrap();
        let table = String::from_utf8(out).unwrap();
        assert!(table.contains("value       0.1\n"), "{table}");
        assert!(table.contains("cpu value   0.25\n"), "{table}");
        assert!(table.contains("check       FAILED\n"), "{table}");
        let Err(Failure::Failed(message)) = failed.verdict() else { panic!("the check passed") };
        assert!(message.contains("0.1 on the GPU and 0.25 on the CPU differ by 0.15"), "{message}");
    }

    /// A passed check keeps the doubt; a note of an undecided one is not repeated.
    #[test]
    fn a_doubt_is_printed_unless_the_check_has_a_note() {
        for (note, rows) in [(None, 1), (Some("open"), 0)] {
            let check = Check { doubt: Some("open"), note, ..check(true) };
            let mut out = Vec::new();
            report(Some(check)).print_table(&mut out).unwrap();
            let table = String::from_utf8(out).unwrap();
            assert_eq!(table.matches("note        open\n").count(), rows, "{table}");
        }
    }

    #[test]
    fn times_are_printed_if_they_were_asked_for() {
        let printed = |is_timed, gpu_us| {
            let mut out = Vec::new();
            let timed = Report { is_timed, gpu_us, gb_per_s: gpu_us, ..report(None) };
            timed.print_table(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(!printed(false, None).contains("gpu"));
        assert!(printed(true, None).contains("gpu time    unknown (the device has no timestamps)"));
        assert!(printed(true, Some(2.5)).contains("gpu time    2.5 us\ngpu rate    2.50 GB/s\n"));
    }

    #[test]
    fn a_failed_check_fails_even_if_nobody_reads_on() {
        for json in [false, true] {
            let outcome = report(Some(check(false))).print(json, &mut Closed);
            assert!(matches!(outcome, Err(Failure::Failed(_))), "{outcome:?}");
            let outcome = report(Some(check(true))).print(json, &mut Closed);
            assert!(matches!(outcome, Err(Failure::Output(_))), "{outcome:?}");
        }
    }
}
