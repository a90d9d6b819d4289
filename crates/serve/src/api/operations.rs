//! The operations of the API: method, path and request of each.

use std::sync::Arc;

use operate::actions::{
    ApproveActions, ListActions, RefuseActions, RequestAction, ResumeActions, StopActions,
    UndoActions,
};
use operate::alarms::{AcknowledgeAlarms, ListAlarms};
use operate::audit::ReportAudit;
use operate::counters::{ChangeCounters, ListCountersInDoubt, ShowCounters};
use operate::deliveries::{DiscardDeliveries, ListDeliveries, ListGathering, RetryDeliveries};
use operate::drawing::{CheckFlow, EditFlow};
use operate::files::{AllowFilesAgain, ListFiles, ListRefusedFiles, ShowFileRecords};
use operate::fraud::{
    AddToFraudList, ApproveFraudRule, AssignFraudCases, CheckFraudRuleFile, DecideFraudCases,
    ForgetFraudSubject, ImportFraudList, ListFraudAlerts, ListFraudCases, ListFraudLists,
    ListFraudRecords, ListFraudRuleFiles, PutFraudRuleFile, RemarkFraudCase, RemoveFromFraudList,
    ReopenFraudCase, ReportFraud, ReportFraudRules, ReportFraudSubject, ShowFraudCase,
    ShowFraudList, ShowFraudRuleFile, UnmaskFraudCase,
};
use operate::matching::{CountGroups, EndGroups, ListGroups, ShowGroup};
use operate::modules::ShowModule;
use operate::people::{
    InvitePerson, LinkPerson, ListPeople, ListTokens, MakeToken, RemovePerson, RemoveToken, SetRole,
};
use operate::prepaid::calls::{
    ActivateVouchers, AddNumber, AdjustAccount, AllowPeer, ApproveRequest, BlockVouchers,
    BuyBundle, CancelBundle, CheckBooks, EndSession, EndTrace, EnquirePrice, ExportBooks,
    ExportTrace, ImportSubscribers, ListAccounts, ListApprovals, ListChargingTrail,
    ListChargingVersions, ListMessages, ListNotices, ListPeers, ListRefusals, ListSessions,
    ListTraces, MakeVouchers, OpenAccount, RefillAccount, RejectRequest, RemoveNumber, RemoveTrace,
    RestoreChargingVersion, ReverseEntry, SendTrialRequest, SetBarredServices, SetCreditLimit,
    SetStanding, SetSubscriberType, ShowAccount, ShowCharging, ShowHistory, ShowVersionFile,
    ShowVoucher, StartTrace, SumBooks, TransferAmount, UseVoucher,
};
use operate::replay::{CancelReplay, ShowReplay, StartReplay};
use operate::scripts::{
    AnalyseScript, BeginScript, CheckScript, ListScripts, PutScript, RunSamples, ShowScript,
    TestScript,
};
use operate::sequences::{AcceptMissing, ReportSequences};
use operate::suspense::{
    CountRecords, CountRecordsByNode, DiscardRecords, EditRecord, ListRecords, ReopenRecords,
    RetryRecords, ShowRecord, TakeBackRetries,
};
use operate::tariff::{
    CheckTariff, CheckTariffTable, ExplainUsage, ListTariffFiles, ListTariffs, LoadTariff,
    PutTariffTable, ShowTariffFile, ShowTariffTable, WithdrawTariff,
};
use operate::trace::TraceRecords;
use operate::trail::ListTrail;
use operate::versions::{
    ActivateVersion, ListVersions, RejectProposal, SaveVersion, ShowConsequences, ShowVersion,
};
use utoipa_axum::router::OpenApiRouter;

use super::operation::{delete, get, post, put};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    [
        get::<ListDeliveries>("/api/deliveries"),
        get::<ListGathering>("/api/deliveries/gathering"),
        post::<RetryDeliveries>("/api/deliveries/retry"),
        post::<DiscardDeliveries>("/api/deliveries/discard"),
        get::<ListRecords>("/api/suspense"),
        get::<CountRecords>("/api/suspense/alike"),
        get::<CountRecordsByNode>("/api/suspense/nodes"),
        get::<ShowRecord>("/api/suspense/{id}"),
        put::<EditRecord>("/api/suspense/{id}"),
        post::<RetryRecords>("/api/suspense/retry"),
        post::<TakeBackRetries>("/api/suspense/retry/take-back"),
        post::<DiscardRecords>("/api/suspense/discard"),
        post::<ReopenRecords>("/api/suspense/reopen"),
        get::<ListTrail>("/api/trail"),
        get::<ListAlarms>("/api/alarms"),
        post::<AcknowledgeAlarms>("/api/alarms/acknowledge"),
        get::<ListFiles>("/api/files"),
        get::<ListRefusedFiles>("/api/files/refused"),
        post::<AllowFilesAgain>("/api/files/again"),
        get::<ShowFileRecords>("/api/records"),
        get::<TraceRecords>("/api/trace"),
        get::<ListFraudAlerts>("/api/fraud/alerts"),
        get::<ListFraudCases>("/api/fraud/cases"),
        get::<ShowFraudCase>("/api/fraud/cases/{id}"),
        post::<DecideFraudCases>("/api/fraud/cases/decide"),
        post::<AssignFraudCases>("/api/fraud/cases/assign"),
        post::<ReopenFraudCase>("/api/fraud/cases/{id}/reopen"),
        post::<RemarkFraudCase>("/api/fraud/cases/{id}/remark"),
        post::<UnmaskFraudCase>("/api/fraud/cases/{id}/unmask"),
        get::<ReportFraudRules>("/api/fraud/rules"),
        post::<ApproveFraudRule>("/api/fraud/rules/approve"),
        get::<ListFraudRuleFiles>("/api/fraud/rule-files"),
        get::<ShowFraudRuleFile>("/api/fraud/rule-files/{*file}"),
        post::<CheckFraudRuleFile>("/api/fraud/rule-files/{*file}"),
        put::<PutFraudRuleFile>("/api/fraud/rule-files/{*file}"),
        get::<ListFraudLists>("/api/fraud/lists"),
        get::<ShowFraudList>("/api/fraud/lists/{name}"),
        post::<AddToFraudList>("/api/fraud/lists/{name}/add"),
        post::<RemoveFromFraudList>("/api/fraud/lists/{name}/remove"),
        post::<ImportFraudList>("/api/fraud/lists/{name}/import"),
        get::<ReportFraud>("/api/fraud/report"),
        get::<ListFraudRecords>("/api/fraud/records"),
        get::<ReportFraudSubject>("/api/fraud/about"),
        post::<ForgetFraudSubject>("/api/fraud/forget"),
        post::<RequestAction>("/api/fraud/cases/{id}/action"),
        get::<ListActions>("/api/actions"),
        post::<ApproveActions>("/api/actions/approve"),
        post::<RefuseActions>("/api/actions/refuse"),
        post::<UndoActions>("/api/actions/undo"),
        post::<StopActions>("/api/actions/stop"),
        post::<ResumeActions>("/api/actions/resume"),
        get::<ListGroups>("/api/matching"),
        get::<CountGroups>("/api/matching/nodes"),
        get::<ShowGroup>("/api/matching/{id}"),
        post::<EndGroups>("/api/matching/end"),
        get::<ShowCounters>("/api/counters"),
        get::<ListCountersInDoubt>("/api/counters/in-doubt"),
        post::<ChangeCounters>("/api/counters/change"),
        get::<ListScripts>("/api/scripts"),
        post::<BeginScript>("/api/scripts"),
        get::<ShowScript>("/api/scripts/{*file}"),
        post::<CheckScript>("/api/scripts/{*file}"),
        put::<PutScript>("/api/scripts/{*file}"),
        post::<AnalyseScript>("/api/analysis/{*file}"),
        get::<ShowModule>("/api/module"),
        post::<TestScript>("/api/tests/{*file}"),
        post::<RunSamples>("/api/samples/{*file}"),
        get::<ShowReplay>("/api/replay"),
        post::<StartReplay>("/api/replay"),
        delete::<CancelReplay>("/api/replay"),
        get::<ListTariffs>("/api/tariffs"),
        post::<ExplainUsage>("/api/tariffs"),
        get::<ShowTariffTable>("/api/tariffs/{*file}"),
        post::<CheckTariffTable>("/api/tariffs/{*file}"),
        put::<PutTariffTable>("/api/tariffs/{*file}"),
        post::<LoadTariff>("/api/tariff-versions"),
        post::<CheckTariff>("/api/tariff-versions/check"),
        get::<ListTariffFiles>("/api/tariff-versions/{version}"),
        get::<ShowTariffFile>("/api/tariff-versions/{version}/{file}"),
        post::<WithdrawTariff>("/api/tariff-versions/{version}/withdraw"),
        get::<ShowCharging>("/api/charging"),
        get::<ListChargingTrail>("/api/charging/trail"),
        get::<ListChargingVersions>("/api/charging/versions"),
        get::<ShowVersionFile>("/api/charging/versions/{version}/file"),
        post::<RestoreChargingVersion>("/api/charging/versions/{version}/restore"),
        get::<ListApprovals>("/api/charging/approvals"),
        post::<ApproveRequest>("/api/charging/approvals/{request}/approve"),
        post::<RejectRequest>("/api/charging/approvals/{request}/reject"),
        get::<ListSessions>("/api/charging/sessions"),
        get::<ListPeers>("/api/charging/peers"),
        get::<ListMessages>("/api/charging/messages"),
        get::<ListTraces>("/api/charging/traces"),
        post::<StartTrace>("/api/charging/traces"),
        get::<ExportTrace>("/api/charging/traces/{trace}"),
        post::<EndTrace>("/api/charging/traces/{trace}/end"),
        post::<RemoveTrace>("/api/charging/traces/{trace}/remove"),
        post::<AllowPeer>("/api/charging/peers/{peer}/allow"),
        get::<CheckBooks>("/api/charging/check"),
        get::<ExportBooks>("/api/charging/entries"),
        get::<SumBooks>("/api/charging/sums"),
        get::<ListAccounts>("/api/accounts"),
        post::<OpenAccount>("/api/accounts"),
        post::<ImportSubscribers>("/api/accounts/import"),
        get::<ShowAccount>("/api/accounts/{account}"),
        get::<EnquirePrice>("/api/accounts/{account}/price"),
        post::<SendTrialRequest>("/api/accounts/{account}/trial"),
        get::<ShowHistory>("/api/accounts/{account}/history"),
        get::<ListRefusals>("/api/accounts/{account}/refusals"),
        get::<ListNotices>("/api/accounts/{account}/notices"),
        post::<RefillAccount>("/api/accounts/{account}/refill"),
        post::<BuyBundle>("/api/accounts/{account}/buy"),
        post::<CancelBundle>("/api/accounts/{account}/bundles/{bundle}/cancel"),
        post::<AdjustAccount>("/api/accounts/{account}/adjust"),
        post::<TransferAmount>("/api/accounts/{account}/transfer"),
        post::<ReverseEntry>("/api/accounts/{account}/entries/{entry}/reverse"),
        post::<SetBarredServices>("/api/accounts/{account}/barred"),
        post::<SetSubscriberType>("/api/accounts/{account}/subscriber-type"),
        post::<SetCreditLimit>("/api/accounts/{account}/credit-limit"),
        post::<SetStanding>("/api/accounts/{account}/standing"),
        post::<AddNumber>("/api/accounts/{account}/numbers"),
        post::<EndSession>("/api/accounts/{account}/sessions/{session}/end"),
        post::<RemoveNumber>("/api/numbers/{number}/remove"),
        post::<MakeVouchers>("/api/vouchers"),
        get::<ShowVoucher>("/api/vouchers/{serial}"),
        post::<ActivateVouchers>("/api/voucher-batches/{batch}/activate"),
        post::<BlockVouchers>("/api/voucher-batches/{batch}/block"),
        post::<UseVoucher>("/api/accounts/{account}/voucher"),
        get::<ReportAudit>("/api/audit"),
        get::<ReportSequences>("/api/sequences"),
        post::<AcceptMissing>("/api/sequences/accept"),
        post::<CheckFlow>("/api/flow/look"),
        post::<EditFlow>("/api/flow/edit"),
        get::<ListVersions>("/api/flow/versions"),
        post::<SaveVersion>("/api/flow/versions"),
        get::<ShowVersion>("/api/flow/versions/{version}"),
        post::<ActivateVersion>("/api/flow/versions/{version}/activate"),
        post::<RejectProposal>("/api/flow/versions/{version}/reject"),
        post::<ShowConsequences>("/api/flow/consequences"),
        get::<ListPeople>("/api/people"),
        post::<InvitePerson>("/api/people"),
        put::<SetRole>("/api/people/{name}"),
        delete::<RemovePerson>("/api/people/{name}"),
        post::<LinkPerson>("/api/people/{name}/link"),
        get::<ListTokens>("/api/tokens"),
        post::<MakeToken>("/api/tokens"),
        delete::<RemoveToken>("/api/tokens/{id}"),
    ]
    .into_iter()
    .fold(OpenApiRouter::new(), OpenApiRouter::merge)
}
