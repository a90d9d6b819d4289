//! `dup fmt`: one way to write a script, and a formatted script does not change.

use diagnostics::Source;

fn check(written: &str, wanted: &str) {
    let formatted = dup::format(&Source::new("a.dup", written)).expect("a script");
    assert_eq!(formatted, wanted);
    assert_eq!(dup::format(&Source::new("a.dup", formatted.as_str())), Ok(formatted.clone()));
}

#[test]
fn blanks_and_indentation() {
    check(
        "BOOLEAN  f( cdr   CONST Call )\n{declare x INTEGER;\n      x:=1+2 ;\n\n\n\nif(x==-1&&!g( x,y[1] )){\nreturn TRUE;}\n  return x IN[1,2..3];}",
        "BOOLEAN f(cdr CONST Call)\n{ declare x INTEGER;\n  x := 1 + 2;\n\n  if (x == -1 && !g(x, y[1])) {\n    return TRUE; }\n  return x IN [1, 2..3]; }\n",
    );
}
