//! Files of each form.

use crate::bench::{head, rows, rows_of};

const TS_32435: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="MeasDataCollection.xsl"?>
<measCollecFile xmlns="http://www.3gpp.org/ftp/specs/archive/32_series/32.435#measCollec">
  <fileHeader fileFormatVersion="32.435 V10.0" vendorName="Vendor &amp; Sons" dnPrefix="DC=example.com,SubNetwork=1">
    <fileSender localDn="SubNetwork=North,ManagedElement=RNC-1" elementType="RNC"/>
    <measCollec beginTime="2026-03-01T14:00:00+02:00"/>
  </fileHeader>
  <measData>
    <managedElement localDn="SubNetwork=North,ManagedElement=RNC-1" userLabel="North 1" swVersion="R44B17"/>
    <measInfo measInfoId="PM=1,PmGroup=Cell">
      <job jobId="nr_all"/>
      <granPeriod duration="PT900S" endTime="2026-03-01T14:15:00+02:00"/>
      <repPeriod duration="PT1800S"/>
      <measType p="1">attempts</measType>
      <measType p="2">successes</measType>
      <measType p="3">load</measType>
      <measValue measObjLdn="RncFunction=1,Cell=997">
        <r p="1">234</r>
        <r p="2">230</r>
        <r p="3">0.75</r>
      </measValue>
      <measValue measObjLdn="RncFunction=1,Cell=998"><r p="3">1,0,,4</r><r p="1"> </r><suspect>true</suspect></measValue>
      <measValue measObjLdn="RncFunction=1,Cell=999"/>
    </measInfo>
    <measInfo>
      <measTypes>handovers drops</measTypes>
      <measValue measObjLdn="Cell=1"><measResults>5 NIL</measResults><suspect>false</suspect></measValue>
      <measValue measObjLdn=""><measResults>
        -6  1,2
      </measResults></measValue>
    </measInfo>
  </measData>
  <fileFooter><measCollec endTime="2026-03-01T14:15:00+02:00"/></fileFooter>
</measCollecFile>
"#;

#[test]
fn a_file_of_ts_32435_has_a_row_for_each_measured_object() {
    let expected = [
        "RncFunction=1,Cell=997: attempts=234 successes=230 load=0.75",
        "RncFunction=1,Cell=998 suspect: attempts=- successes=- load=[1,0,-,4]",
        "RncFunction=1,Cell=999: attempts=- successes=- load=-",
        "Cell=1: handovers=5 drops=-",
        ": handovers=-6 drops=[1,2]",
    ];
    assert_eq!(rows(TS_32435), expected);
    assert_eq!(
        head(TS_32435),
        "Ts32435 Vendor & Sons|SubNetwork=North,ManagedElement=RNC-1|RNC|DC=example.com,SubNetwork=1|\
         SubNetwork=North,ManagedElement=RNC-1|North 1|R44B17|PM=1,PmGroup=Cell|nr_all \
         20260301140000+0200 20260301141500+0200 900"
    );
}

#[test]
fn a_file_of_ts_28532_names_the_network_element_differently() {
    let file = TS_32435
        .replace("measCollecFile", "measDataFile")
        .replace("managedElement", "measEntity")
        .replace("fileSender localDn", "fileSender senderName")
        .replace("elementType", "senderType")
        .replace("<measCollec ", "<measData ");
    assert_eq!(rows(&file), rows(TS_32435));
    assert_eq!(head(&file), head(TS_32435).replace("Ts32435", "Ts28532"));
}

#[test]
fn a_network_element_without_a_name_has_that_of_the_sender_or_none() {
    let named = "localDn=\"SubNetwork=North,ManagedElement=RNC-1\"";
    let element = |file: &str| head(file).split('|').nth(4).unwrap_or_default().to_owned();
    let of = |element: &str, sender: &str| {
        let element = format!("managedElement {element}");
        let file = TS_32435.replace(&format!("managedElement {named}"), &element);
        file.replace(&format!("fileSender {named}"), &format!("fileSender {sender}"))
    };
    for (name, sender, expected) in [
        (named, "localDn=\"S\"", "SubNetwork=North,ManagedElement=RNC-1"),
        ("", "localDn=\"S\"", "S"),
        ("localDn=\"\"", "localDn=\"S\"", "S"),
        ("", "", "-"),
        ("localDn=\" \"", "localDn=\"\"", "-"),
    ] {
        let file = of(name, sender);
        assert_eq!((element(&file).as_str(), rows(&file)), (expected, rows(TS_32435)), "{file}");
    }
    for section in ["<neid><nedn></nedn></neid>", "<neid/>"] {
        let mi = "<mi><mt>a</mt><mv><moid>O</moid><r>1</r></mv></mi>";
        let file = format!("<mdc><mfh><sn>S</sn></mfh><md>{section}{mi}</md></mdc>");
        assert_eq!((element(&file).as_str(), rows(&file)), ("-", vec!["O: a=1".to_owned()]));
    }
}

#[test]
fn a_file_of_ts_32401_has_short_names() {
    let file = r#"<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="MeasDataCollection.xsl" ?>
<!DOCTYPE mdc SYSTEM "MeasDataCollection.dtd" [ <!ENTITY a "<mdc>"> ]>
<mdc xmlns:HTML="http://www.w3.org/TR/REC-xml">
<mfh><ffv>1</ffv><sn>DC=example.com,RNC=1</sn><st>RNC</st><vn>Vendor</vn><cbt>20260301140000</cbt></mfh>
<md>
<neid><neun>North 1</neun><nedn>DC=example.com,RNC=1</nedn></neid>
<mi><mts>20260301141500</mts><gp>900</gp><mt>attempts</mt><mt>successes</mt>
<mv><moid>RncFunction=1,Cell=997</moid><r>234</r><r>230</r><sf>FALSE</sf></mv>
<mv><moid>RncFunction=1,Cell=998</moid><r></r><r/><sf/></mv>
<mv><moid>RncFunction=1,Cell=999</moid><r>1</r><r>2</r></mv>
</mi></md>
<mff><ts>20260301141500</ts></mff>
</mdc>"#;
    let expected = [
        "RncFunction=1,Cell=997: attempts=234 successes=230",
        "RncFunction=1,Cell=998 suspect: attempts=- successes=-",
        "RncFunction=1,Cell=999: attempts=1 successes=2",
    ];
    assert_eq!(rows(file), expected);
    let twice = |object: &str| {
        let twice = format!("Cell=997</moid><moid>RncFunction=1,{object}</moid>");
        rows(&file.replace("Cell=997</moid>", &twice)).remove(0)
    };
    assert_eq!(twice("Cell=997"), expected[0]);
    assert_eq!(twice("Cell=9"), "! \"moid\" is there several times, with different texts");
    assert_eq!(
        head(file),
        "Ts32401 Vendor|DC=example.com,RNC=1|RNC|-|DC=example.com,RNC=1|North 1|-|-|- \
         20260301140000 20260301141500 900"
    );
}

#[test]
fn a_file_of_omes_has_an_element_for_each_counter() {
    let file = r#"<?xml version="1.0" encoding="utf-8"?>
<OMeS>
    <PMSetup interval="60" startTime="2026-03-15T21:00:00.000-05:00:00">
        <PMMOResult>
            <MO><baseId>NE-MRBTS-7</baseId><localMoid>DN:NE-LNBTS-7</localMoid></MO>
            <NE-WBTS_7.7 measurementType="S1AP"><M1>11</M1><M2/><M3>1.5</M3></NE-WBTS_7.7>
            <NE-WBTS_7.7 measurementType="X2AP"><M9>12</M9></NE-WBTS_7.7>
        </PMMOResult>
        <PMMOResult>
            <MO dimension="network_element"><DN>PLMN-PLMN/RNC-1/WCEL-1</DN></MO>
            <PMTarget measurementType="S1AP"><M1>13</M1></PMTarget>
        </PMMOResult>
    </PMSetup>
</OMeS>"#;
    let expected = [
        "DN:NE-LNBTS-7: M1=11 M2=- M3=1.5",
        "DN:NE-LNBTS-7: M9=12",
        "PLMN-PLMN/RNC-1/WCEL-1: M1=13",
    ];
    assert_eq!(rows(file), expected);
    assert_eq!(
        head(file),
        "Omes -|-|-|-|NE-MRBTS-7|-|-|S1AP|- 20260315210000-0500 20260315220000-0500 3600"
    );
    assert_eq!(rows_of(file, &["M2", "M3"])[0], "DN:NE-LNBTS-7: M2=- M3=1.5");
    for value in ["<![CDATA[11]]>", "1<!-- x -->1", "1<![CDATA[1]]>"] {
        let other = file.replace("<M1>11</M1>", &format!("<M1>{value}</M1>"));
        assert_eq!(rows(&other)[0], "! an element stands within the result of a counter");
    }
}

#[test]
fn only_the_counters_that_are_wanted_are_read() {
    let expected = [
        "RncFunction=1,Cell=997: successes=230",
        "RncFunction=1,Cell=998 suspect: successes=-",
        "RncFunction=1,Cell=999: successes=-",
        "Cell=1: drops=-",
        ": drops=[1,2]",
    ];
    assert_eq!(rows_of(TS_32435, &["suc*", "drops", "none"]), expected);
}

#[test]
fn names_may_have_prefixes_and_documents_may_follow_one_another() {
    let prefixed = r#"<m:measCollecFile xmlns:m="a"><m:measData><m:managedElement localDn="N"/><m:measInfo>
        <m:measType p="1">a</m:measType><m:measValue measObjLdn="O"><m:r p="1">5</m:r></m:measValue>
        </m:measInfo></m:measData></m:measCollecFile>"#;
    assert_eq!(rows(prefixed), ["O: a=5"]);
    assert_eq!(rows(&format!("{prefixed}\n{prefixed}")), ["O: a=5", "O: a=5"]);
}

#[test]
fn texts_are_what_is_meant() {
    let file = r#"<measCollecFile><measData><managedElement localDn="N"/><measInfo>
        <measType p="1">a&lt;b</measType><measType p="2"><![CDATA[c<d]]></measType>
        <measValue measObjLdn="&#79;&quot;"><r p="1">on &amp; off</r><!-- <r p="2">1</r> --><r p='2'>2</r></measValue>
        </measInfo></measData></measCollecFile>"#;
    assert_eq!(rows(file), ["O\": a<b=\"on & off\" c<d=2"]);
}
