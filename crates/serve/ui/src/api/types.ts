/**
 * The names that the interface has for the schemas of the API. No shape is written by hand: `schema.ts` has all of
 * them, generated from the description of the API.
 */
import type { Wide } from "./exact-json";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** The flow: its graph, its checks, its versions, its scripts. */
export type Flow = Schemas["Flow"];
export type Graph = Schemas["Graph"];
export type GraphNode = Schemas["Node"];
export type Source = Schemas["From"];
export type Kind = Schemas["Kind"];
export type KindSetting = Schemas["Setting"];
export type Diagnostic = Schemas["Mistake"];
export type Looked = Schemas["Looked"];
export type Edit = Schemas["FlowEdit"];
export type Edited = Schemas["Edited"];
export type Version = Schemas["Version"];
export type VersionContent = Schemas["VersionContent"];
export type LeftOut = Schemas["LeftOutFile"];
export type Activation = Schemas["Activated"];
export type Consequences = Schemas["Consequences"];
export type Script = Schemas["ListedScript"];
export type ScriptText = Schemas["Script"];
export type ScriptTest = Schemas["ScriptTest"];
export type ScriptTests = Schemas["ScriptTests"];
export type SamplesFrom = Schemas["TakenFrom"];
export type SampleRecord = Schemas["SampleRecord"];
export type SampleRuns = Schemas["SampleRuns"];
export type Became = Schemas["Became"];

/** What happens in the gateway, each second and over time. */
export type Figures = Schemas["LiveFigures"];
export type EdgeFigures = Schemas["LiveEdge"];
export type ElementCounts = Schemas["LiveElementCounts"];
export type NodeCounts = Schemas["LiveNodeCounts"];
export type SystemCounts = Schemas["LiveSystemCounts"];
export type Changed = Schemas["LiveChanged"];
export type AlarmCounts = Schemas["LiveAlarms"];
export type History = Schemas["History"];
export type Balance = Schemas["Balance"];
export type BalancedThreads = Schemas["BalancedThreads"];
export type BalancedGroup = Schemas["BalancedGroup"];
export type BalancedReceivers = Schemas["BalancedReceivers"];
export type BalanceDecision = Schemas["BalanceDecision"];

/** The subjects of an operator's work. */
export type FraudAlert = Schemas["FoundAlert"];
export type AlertRecord = Schemas["AlertRecord"];
export type FraudCase = Schemas["FraudCase"];
export type WholeFraudCase = Schemas["WholeFraudCase"];
export type FraudCaseStep = Schemas["CaseStep"];
export type FraudCaseState = Schemas["CaseState"];
export type FraudDecision = Schemas["Decision"];
export type FraudRule = Schemas["RuleFigures"];
export type FraudReportBy = Schemas["ReportBy"];
export type FraudReportRow = Schemas["ReportRow"];
export type FraudRuleFile = Schemas["FraudRuleFile"];
export type FraudRuleFiles = Schemas["FraudRuleFiles"];
export type FraudListFolder = Schemas["FraudListFolder"];
export type ListFigures = Schemas["FraudListFigures"];
export type FraudListEntry = Schemas["FraudListEntry"];
export type ImportedFraudList = Schemas["ImportedFraudList"];
export type DifferentListEntry = Schemas["DifferentEntry"];
export type ListedKey = Schemas["ListedKey"];
export type FraudSubject = Schemas["FraudSubject"];
export type CaseOfSubject = Schemas["CaseOfSubject"];
export type FraudRecord = Schemas["FraudRecord"];
export type ForgottenFraudSubject = Schemas["ForgottenFraudSubject"];
export type FraudRuleText = Schemas["FraudRuleText"];
export type RunningRule = Schemas["RunningRule"];
export type RequestedAction = Schemas["RequestedAction"];
export type ActionState = Schemas["ActionState"];
export type ActionStop = Schemas["Stop"];
export type Alarm = Schemas["Alarm"];
export type Severity = Schemas["AlarmSeverity"];
export type SuspenseRecord = Schemas["SuspendedRecord"];
export type SuspenseGroup = Schemas["AlikeRecords"];
export type SuspenseGroups = Schemas["Groups"];
export type SuspenseNode = Schemas["SuspenseNode"];
export type SuspenseFilter = Schemas["RecordFilter"];
export type SuspenseDetail = Omit<Schemas["SuspendedRecordDetail"], "json">;
export type RecordType = Schemas["RecordType"];
export type RecordField = Schemas["RecordField"];
export type Retried = Schemas["RetriedRecords"];
export type DoneFile = Schemas["InputFile"];
export type RefusedFile = Schemas["RefusedFile"];
export type FileRecords = Schemas["FileRecords"];
export type FileRecord = Schemas["FileRecord"];
export type RecordPart = Schemas["RecordPart"];
export type Delivery = Schemas["Delivery"];
export type GatheringFile = Schemas["Gathered"];
export type AuditReport = Wide<Schemas["AuditReport"]>;
export type AuditCount = Wide<Schemas["AuditCount"]>;
export type SequenceReport = Wide<Schemas["SequenceReport"]>;
export type SequenceLine = Wide<Schemas["SequenceLine"]>;
export type TrailEntry = Schemas["TrailEntry"];
export type Traced = Schemas["Trace"];
export type Step = Schemas["TraceStep"];
export type SearchExtent = Schemas["SearchExtent"];

/** Records that wait in matching nodes, and the counters of rating nodes. */
export type MatchingNode = Schemas["MatchingNode"];
export type MatchingGroup = Schemas["WaitingGroup"];
export type GroupPart = Schemas["WaitingRecord"];
export type GroupOver = Schemas["WaitingUntil"];
export type GroupEnd = Schemas["MatchingEnd"];
export type GroupsEnded = Schemas["MatchingEnded"];
export type SubscriberCounter = Schemas["SubscriberCounter"];
export type DoubtedCounters = Schemas["DoubtedCounters"];
export type DoubtedNode = Schemas["DoubtedNode"];
export type CountersAction = Schemas["CountersAction"];
export type ChangedCounters = Schemas["ChangedCounters"];

/** Tariff plans, and replays. */
export type Tariff = Schemas["Tariff"];
export type TariffVersion = Schemas["TariffVersion"];
export type TariffFile = Schemas["TariffFile"];
export type TariffDraft = Schemas["TariffDraft"];
export type TariffLoaded = Schemas["TariffLoaded"];
export type TariffUsage = Schemas["TariffUsage"];
export type TariffExplained = Schemas["TariffExplained"];
export type TariffText = Schemas["TariffText"];
export type ReplayState = Schemas["ReplayState"];
export type Replay = Schemas["Replay"];
export type ReplayAsked = Schemas["StartReplay"];
export type ReplayReport = Schemas["ReplayReport"];
export type ReplayCount = Schemas["ReplayCount"];
export type ReplayReceiver = Schemas["ReplayReceiver"];
export type ReplaySum = Schemas["ReplaySum"];
export type ReplayExample = Schemas["ReplayExample"];
export type ReplayRuleAlerts = Schemas["ReplayRuleAlerts"];
export type ReplayAlertDifference = Schemas["ReplayAlertDifference"];
export type ReplayOutcome = Schemas["ReplayOutcome"];
export type ReplayDifference = Schemas["ReplayDifference"];
export type ReplayField = Schemas["ReplayField"];

/** Prepaid accounts, and the charging system that has them. */
export type ChargingFigures = Schemas["ChargingFigures"];
export type SystemBalance = ChargingFigures["balances"][number];
export type ChargingTrailEntry = Schemas["ChargingTrail"]["entries"][number];
export type SubscriberNotice = Schemas["SubscriberNotice"];
export type AccountRefusal = Schemas["AccountRefusal"];
export type ChargingVersion = Schemas["ChargingVersion"];
export type PrepaidAccount = Schemas["PrepaidAccount"];
export type AccountHistory = Schemas["AccountHistory"];
export type AccountStanding = Schemas["AccountStanding"];
export type AccountBalance = PrepaidAccount["balances"][number];
export type AmountUnit = Schemas["AmountUnit"];
export type OpenSession = Schemas["OpenSession"];
export type Sessions = Schemas["Sessions"];
export type ConnectedPeer = Schemas["ConnectedPeer"];
export type PeerResult = Schemas["PeerResult"];
export type RefusedPeer = Schemas["RefusedPeer"];
export type PeerMessage = Schemas["PeerMessage"];
export type MessageAvp = Schemas["MessageAvp"];
export type MessageTrace = Schemas["MessageTrace"];
export type PeerAlarm = Schemas["PeerAlarm"];
export type MessageFile = Schemas["MessageFile"];
export type AccountLine = Schemas["AccountLine"];
export type PriceEnquiry = Schemas["PriceEnquiry"];
export type TrialAnswer = Schemas["TrialAnswer"];
export type TrialPhase = Schemas["TrialPhase"];
export type ChargingTraffic = Schemas["ChargingTraffic"];
export type HistoryEntry = Schemas["HistoryEntry"];
export type ChargedUsage = Schemas["ChargedUsage"];
export type RecordOrigin = Schemas["RecordOrigin"];
export type PriceStep = Schemas["PriceStep"];
export type AccountSubscription = Schemas["AccountSubscription"];
export type BoughtBundle = Schemas["BoughtBundle"];
export type BundleOnSale = Schemas["BundleOnSale"];
export type ApprovalRequest = Schemas["ApprovalRequest"];
export type Moved = Schemas["Moved"];
export type Transferred = Schemas["Transferred"];
export type NewBalance = Schemas["NewBalance"];
export type NewSubscriber = Schemas["NewSubscriber"];
export type SubscriberMistake = Schemas["SubscriberMistake"];
export type Voucher = Wide<Schemas["ShownVoucher"]>;
export type NewVoucher = Wide<Schemas["NewVoucher"]>;
export type UsedVoucher = Wide<Schemas["UsedVoucher"]>;
export type CheckedBooks = Schemas["CheckedBooks"];
export type ExportedBooks = Schemas["ExportedBooks"];
export type ExportedEntry = Schemas["ExportedEntry"];
export type SummedBooks = Schemas["SummedBooks"];
export type UnitSums = Schemas["UnitSums"];

/** Sessions, users and tokens. */
export type Role = Schemas["Role"];
export type Session = Schemas["SessionBody"];
export type Invited = Schemas["Invited"];
export type Person = Schemas["Person"];
export type Token = Schemas["Token"];
