//! Password strength (OWASP ASVS 2.1.7). Guessing programs first try common passwords and words,
//! keyboard rows, years and dates, repetitions of these, and combinations.
//!
//! A password is split into such pieces, and the cheapest split counts: the sum of the bits that a
//! guesser needs for each piece. So combinations need no list, and `Password1234!` is no better
//! than `password`.

/// The minimum strength, in bits. Twelve random letters have 56; three common words with a year have 33.
const BITS_MIN: u32 = 40;

/// The characters that are examined. A longer password is strong enough, or repeats itself.
const CHARACTERS_MAX: usize = 128;

/// The cost of each kind of piece, in tenths of a bit.
const WORD: u32 = 90;
const WRITTEN_OTHERWISE: u32 = 10;
const NAME: u32 = 30;
const ROW: u32 = 80;
const YEAR: u32 = 60;
const DATE: u32 = 150;
const REPEATED: u32 = 30;

/// The shortest row of keys or characters that counts as a piece.
const ROW_MIN: usize = 3;

/// The shortest part of the account name that counts as a piece.
const NAME_PART_MIN: usize = 3;

/// Returns whether the password of the account `name` is too weak.
pub(crate) fn is_guessed_soon(name: &str, password: &str) -> bool {
    bits(name, password) < BITS_MIN
}

/// Returns the cost of the cheapest split of a password, in bits.
fn bits(name: &str, password: &str) -> u32 {
    let written: Vec<char> = password.chars().take(CHARACTERS_MAX).collect();
    let lower: Vec<char> = written.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let plain: Vec<char> = lower.iter().map(|c| letter(*c)).collect();
    let name = name.to_lowercase();
    let names = name.split(|c: char| !c.is_alphanumeric());
    let names: Vec<&str> = names
        .chain([name.as_str()])
        .filter(|part| part.chars().count() >= NAME_PART_MIN)
        .chain((name.chars().count() < NAME_PART_MIN).then_some(name.as_str()))
        .filter(|part| !part.is_empty())
        .collect();
    let end = written.len();
    // By index: the cost in tenths of a bit of the cheapest split of all characters before it.
    let mut least = vec![u32::MAX; end + 1];
    least[0] = 0;
    for at in 0..end {
        let so_far = least[at];
        let mut piece = |length: usize, tenths: u32| {
            let place = &mut least[at + length];
            *place = (*place).min(so_far + tenths);
        };
        piece(1, single(lower[at]));
        let words = COMMON.split_whitespace().map(|word| (word, WORD));
        for (word, tenths) in words.chain(names.iter().map(|part| (*part, NAME))) {
            let length = word.chars().count();
            let is_in = |text: &[char]| {
                let mut here = text[at..].iter().copied();
                word.chars().all(|c| here.next() == Some(c))
            };
            if is_in(&written) {
                piece(length, tenths);
            } else if is_in(&lower) || is_in(&plain) {
                piece(length, tenths + WRITTEN_OTHERWISE);
            }
        }
        for length in ROW_MIN..=row(&lower[at..]) {
            piece(length, ROW);
        }
        if is_year(&lower[at..]) {
            piece(4, YEAR);
        }
        if is_date(&lower[at..]) {
            piece(8, DATE);
        }
        for period in 1..=at {
            let before = &lower[at - period..at];
            let again = lower[at..].chunks_exact(period).take_while(|chunk| *chunk == before);
            for times in 1..=again.count() {
                piece(period * times, REPEATED);
            }
        }
    }
    least[end] / 10
}

/// Returns the letter that a digit or sign often replaces.
fn letter(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        c => c,
    }
}

/// Returns the cost of a character outside of all pieces, in tenths of a bit.
fn single(c: char) -> u32 {
    match c {
        '0'..='9' => 33,
        'a'..='z' => 47,
        c if c.is_ascii() => 50,
        _ => 70,
    }
}

/// Keyboard rows, and keyboard columns in the order in which they are typed.
const ROWS: [&str; 9] = [
    "1234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "1q2w3e4r5t6y7u8i9o0p",
];

/// Returns the length of the row at the start of `text`: of a keyboard, of the alphabet or of digits, forwards or
/// backwards.
fn row(text: &[char]) -> usize {
    let of_keys = ROWS.iter().flat_map(|keys| {
        let there: Vec<char> = keys.chars().collect();
        let back: Vec<char> = keys.chars().rev().collect();
        [common(&there, text), common(&back, text)]
    });
    let steps =
        text.windows(2).map(|pair| i64::from(u32::from(pair[1])) - i64::from(u32::from(pair[0])));
    let of_alphabet = match steps.clone().next() {
        Some(step @ (1 | -1)) => 1 + steps.take_while(|next| *next == step).count(),
        _ => 0,
    };
    of_keys.chain([of_alphabet]).max().unwrap_or(0)
}

/// Returns how many characters at the start of `text` follow each other in `keys`.
fn common(keys: &[char], text: &[char]) -> usize {
    let Some(start) = text.first().and_then(|first| keys.iter().position(|key| key == first))
    else {
        return 0;
    };
    keys[start..].iter().zip(text).take_while(|(key, c)| key == c).count()
}

fn number(text: &[char]) -> Option<u32> {
    text.iter().collect::<String>().parse().ok()
}

fn is_year(text: &[char]) -> bool {
    text.get(..4).and_then(number).is_some_and(|year| (1900..2100).contains(&year))
}

/// Returns whether eight digits are a date, with the year first or last.
fn is_date(text: &[char]) -> bool {
    let Some(digits) = text.get(..8).filter(|digits| digits.iter().all(char::is_ascii_digit))
    else {
        return false;
    };
    let is_day = |pair: &[char]| number(pair).is_some_and(|day| (1..=31).contains(&day));
    let is_of_year =
        |year: &[char], day: &[char]| is_year(year) && is_day(&day[..2]) && is_day(&day[2..]);
    is_of_year(&digits[..4], &digits[4..]) || is_of_year(&digits[4..], &digits[..4])
}

/// Words that are common in passwords: in several languages, keyboard patterns, names, and terms of
/// this field.
const COMMON: &str = "\
    password passwort passwd kennwort motdepasse contrasena contraseña senha parola wachtwoord losenord lösenord salasana \
    adgangskode passord haslo heslo parool jelszo sifre clave geheim hemligt secret secreto segredo pass word login logon \
    access admin administrator administrateur root user guest test testing tester demo default changeme change letmein \
    welcome willkommen bienvenue bienvenido benvenuto welkom valkommen hello hallo bonjour hola ciao temp temporary initial \
    master super superuser superman supervisor operator operations system server service support manager office company \
    enterprise business computer internet network telecom telekom telefon telephone phone mobile gateway mediation billing \
    rating roaming subscriber customer carrier switch router tollgate traffic database oracle mysql postgres linux ubuntu \
    windows microsoft google yahoo facebook apple samsung nokia ericsson huawei siemens cisco alcatel motorola vodafone \
    orange telia telenor verizon asterisk webmaster developer security secure private public backup monitor grafana \
    prometheus nagios zabbix production staging docker jenkins ansible kubernetes \
    qwerty qwertz azerty qazwsx 1qaz2wsx zaq12wsx qazwsxedc wsxedc edcrfv 1qaz 2wsx 3edc 4rfv zaq1 xsw2 cde3 asdf zxcv qwer \
    1q2w3e4r5t 1q2w3e4r q1w2e3r4 qweasd asdzxc qweasdzxc abc123 a1b2c3 a1b2c3d4 pass123 trustno1 password1 test123 aaa111 \
    iloveyou ilove iloveu love lovely loveme lover forever always princess prince queen king angel sunshine sunny flower \
    butterfly rainbow summer winter spring autumn fall sommer herbst fruhling printemps automne hiver verano invierno \
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september \
    october november december januar februar marz mai juni juli oktober dezember \
    dragon monkey tiger lion panther eagle falcon wolf bear shark dolphin horse kitten pussycat puppy buster bailey \
    football fussball futbol futebol soccer baseball basketball hockey tennis golf cricket rugby liverpool arsenal chelsea \
    barcelona realmadrid juventus bayern yankees cowboys lakers steelers manchester united ferrari porsche mercedes toyota \
    mustang corvette harley yamaha suzuki \
    batman spiderman pokemon starwars startrek matrix shadow hunter killer ranger warrior wizard magic phoenix thunder \
    lightning diamond silver golden platinum crystal purple yellow orange black white green blue pink cookie chocolate \
    banana cheese pepper ginger coffee whisky peanut pumpkin cherry \
    michael jennifer jordan michelle jessica ashley daniel thomas robert andrew joshua matthew charlie george william \
    anthony amanda nicole patrick richard martin samantha stephanie alexander alexandra andreas christian christina \
    elizabeth maria anna peter paul david john james mary sarah laura julia thomas stefan sebastian mohammed muhammad ahmed \
    london paris berlin madrid rome stockholm boston newyork chicago dallas texas america canada germany deutschland \
    france sweden sverige norge suomi finland england brasil mexico india china russia australia africa europe \
    freedom liberty peace happy lucky money cash dollar million winner success power energy number first second third \
    jesus christ heaven godisgood blessed faith hope family mother father sister brother friend friends baby babygirl \
    whatever nothing something anything please thankyou correcthorsebatterystaple";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, is_soon: bool, passwords: &[&str]) {
        for password in passwords {
            let bits = bits(name, password);
            assert_eq!(bits < BITS_MIN, is_soon, "{password:?} has {bits} bits");
        }
    }

    #[test]
    fn what_is_tried_first_is_guessed_soon() {
        check(
            "anna",
            true,
            &[
                "password1234",
                "123456789012",
                "qwertyuiopas",
                "tollgate2026",
                "Password1234!",
                "P@ssw0rd2026",
                "PASSWORD!!!!!!!!",
                "Tollgate2026!!",
                "passwordpassword",
                "letmeinletmein",
                "Welcome12345",
                "changeme2025",
                "Summer2026!!",
                "administrator1",
                "1q2w3e4r5t6y",
                "1qaz2wsx3edc",
                "zaq12wsxcde3",
                "asdfghjkl123",
                "poiuytrewq12",
                "abcdefghijkl",
                "abcd1234efgh",
                "987654321098",
                "aaaaaaaaaaaa",
                "aaaabbbbcccc",
                "abcabcabcabc",
                "121212121212",
                "112233445566",
                "31121999Anna",
                "anna-anna-anna",
                "iloveyouforever",
                "monkeydragon12",
                "liverpool1892",
                "correcthorsebatterystaple",
                "Geheim123456",
                "passwort2026!",
                "010120262026",
                "000000000000000000000",
            ],
        );
        check("night.shift", true, &["nightshiftnightshift", "Night-Shift-2026", "shiftnight12"]);
    }

    #[test]
    fn what_nobody_tries_first_is_not() {
        check(
            "anna",
            false,
            &[
                "a quiet night of watching",
                "something else altogether",
                "another one entirely",
                "correct horse battery",
                "kq7vmp2xw9rt",
                "hvzkqpwmtxrb",
                "tower lamp orbit",
                "Zug nach Uppsala um acht",
                "утро вечера мудренее",
                "七転び八起きの人生ですから",
            ],
        );
    }

    #[test]
    fn the_longest_password_takes_no_time() {
        let begun = std::time::Instant::now();
        bits("anna", &"ab1!".repeat(256));
        assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    }
}
