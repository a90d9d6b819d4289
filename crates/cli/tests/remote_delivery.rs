//! Tests the delivery of files to receivers by FTP, S3 and HTTP: each file arrives once, whatever obstructs it.

macro_rules! of {
    ($kind:ident: $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                crate::deliveries::any::$test(crate::servers::Kind::$kind);
            }
        )*
    };
}

mod ftp {
    of!(Ftp:
        files_arrive_as_in_a_folder_of_ones_own
        a_receiver_that_is_down_holds_up_nobody_and_gets_its_files_when_it_is_back
        a_file_with_other_contents_is_never_overwritten_and_one_with_the_same_is_taken_for_it
        a_line_that_is_cut_anywhere_delivers_each_file_once
        a_receiver_that_hangs_or_is_late_holds_up_nobody
        a_receiver_with_a_narrow_line_holds_up_no_other
        a_receiver_that_is_full_gets_its_files_when_it_has_room
        a_name_that_is_refused_is_given_up_at_once_and_holds_up_no_other
        a_receiver_that_does_not_let_us_in_gets_its_files_when_it_does
    );
}

mod ftps {
    of!(Ftps:
        files_arrive_as_in_a_folder_of_ones_own
        a_line_that_is_cut_anywhere_delivers_each_file_once
    );
}

mod s3 {
    of!(S3:
        files_arrive_as_in_a_folder_of_ones_own
        a_receiver_that_is_down_holds_up_nobody_and_gets_its_files_when_it_is_back
        a_file_with_other_contents_is_never_overwritten_and_one_with_the_same_is_taken_for_it
        a_line_that_is_cut_anywhere_delivers_each_file_once
        a_receiver_that_hangs_or_is_late_holds_up_nobody
        a_receiver_with_a_narrow_line_holds_up_no_other
        a_receiver_that_is_full_gets_its_files_when_it_has_room
        a_name_that_is_refused_is_given_up_at_once_and_holds_up_no_other
        a_receiver_that_does_not_let_us_in_gets_its_files_when_it_does
    );
}

mod put {
    of!(Put:
        files_arrive_as_in_a_folder_of_ones_own
        a_receiver_that_is_down_holds_up_nobody_and_gets_its_files_when_it_is_back
        a_file_with_other_contents_is_never_overwritten_and_one_with_the_same_is_taken_for_it
        a_line_that_is_cut_anywhere_delivers_each_file_once
        a_receiver_that_hangs_or_is_late_holds_up_nobody
        a_receiver_with_a_narrow_line_holds_up_no_other
        a_receiver_that_is_full_gets_its_files_when_it_has_room
        a_name_that_is_refused_is_given_up_at_once_and_holds_up_no_other
        a_receiver_that_does_not_let_us_in_gets_its_files_when_it_does
    );
}

mod post {
    of!(Post:
        files_arrive_as_in_a_folder_of_ones_own
        a_line_that_is_cut_anywhere_delivers_each_file_once
    );
}

mod https {
    of!(Https:
        files_arrive_as_in_a_folder_of_ones_own
        a_line_that_is_cut_anywhere_delivers_each_file_once
    );
}
