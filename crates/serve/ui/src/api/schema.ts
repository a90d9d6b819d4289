/**
 * The types of the API. `npm run api-types` generates them from its description, `crates/serve/openapi.json`: do not
 * edit this file. Refusals are not in it: `client.ts` makes a sentence of every one.
 */

export interface paths {
  "/api/accounts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists prepaid accounts by the numbers of subscribers, in order. */
    get: operations["account_list"];
    put?: never;
    /** Opens a prepaid account for numbers of subscribers. */
    post: operations["account_open"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/import": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Opens accounts for subscribers, with their first amounts. Numbers that have an account are left as they are. */
    post: operations["subscriber_import"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Shows a prepaid account: its balances, what is reserved, and its sessions. */
    get: operations["account_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/adjust": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Adjusts a balance of a prepaid account, or gives it a new one.
     * @description A positive amount is added, a negative one is taken. A new balance has a unit, services and an end: a bundle that was
     *     sold.
     */
    post: operations["account_adjust"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/barred": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Changes which services the subscribers of a prepaid account cannot use, such as data for a child. It pays nothing for
     *     them from now on: the next request of a session that is open is refused. What is free can be used.
     */
    post: operations["account_bar"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/bundles/{bundle}/cancel": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Ends the renewal of a bundle of a prepaid account: it is not bought again. What was bought stays until its time is over. */
    post: operations["account_cancel"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/buy": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sells a bundle of `charging.toml` to a prepaid account.
     * @description The price is taken from the main balance, and the account gets what the bundle consists of: both, or neither. If the
     *     bundle renews, it is bought again when its time is over. A purchase that comes again with its reference changes nothing, and has the same response.
     */
    post: operations["account_buy"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/credit-limit": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Changes how far the main balance of a prepaid account may be overdrawn. A smaller limit takes nothing back: an account that
     *     is overdrawn further can use nothing more until it is refilled.
     */
    post: operations["account_limit"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/entries/{entry}/reverse": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reverses an entry of a prepaid account: the amount goes back to where it came from. An entry is reversed once. */
    post: operations["account_reverse"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the entries of a prepaid account, the newest first: what was paid, refilled and corrected, and why. */
    get: operations["account_history"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/notices": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the notices of a prepaid account, the newest first: what its subscribers were to hear of. The newest 100 are listed;
     *     older ones than `notices.keep` are deleted.
     */
    get: operations["account_notices"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/numbers": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Lets a prepaid account pay for another number. A number of another account is refused: it is removed there first. That of a
     *     closed account can be given when its quarantine is over.
     */
    post: operations["account_number_add"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/price": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Says what a usage would cost a prepaid account now, and how much of the service the account pays for. Nothing is charged. */
    get: operations["account_price"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/refill": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Refills a prepaid account.
     * @description The reference is that of the payment. A refill of an account that comes again with its reference changes nothing, and has
     *     the same response. References of a network client are its own; people share theirs.
     */
    post: operations["account_refill"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/refusals": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists what networks were refused for a prepaid account lately, the newest first: why its calls were cut off or did not
     *     begin. The newest 100 are listed. The list is in the memory of the process that answers the networks, and does not outlive
     *     it; of several processes that share a database, each has its own.
     */
    get: operations["account_refusals"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/sessions/{session}/end": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Ends a session of a prepaid account, and releases what is reserved for it. The network learns it by its next request. */
    post: operations["account_session_end"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/standing": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Changes who may use a prepaid account: `suspended` blocks it, `active` lets it be used again.
     * @description `closed` is for ever: its sessions and bundles end, and what is left in its balances expires. A debt stays. Its numbers can
     *     be given to other accounts when their quarantine is over.
     */
    post: operations["account_standing"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/subscriber-type": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Changes the type of subscriber by which the calls of a prepaid account are priced. Calls in progress keep their prices. */
    post: operations["account_type"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/transfer": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Transfers money from one prepaid account to another: both change, or neither. `[transfers]` of `charging.toml` says what the
     *     sender pays for it, and how much it may send on a day.
     */
    post: operations["account_transfer"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/trial": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Sends a request of a trial call, as a network would. It is charged: the account pays for what is used. */
    post: operations["account_trial"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/accounts/{account}/voucher": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Uses a voucher for a prepaid account. After three wrong PINs, the account may not try again for 24 hours. */
    post: operations["voucher_use"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/actions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists actions that rules and people have requested. */
    get: operations["action_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/actions/approve": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Approves actions that wait for people. One that needs two people goes on when the second one approves it. */
    post: operations["action_approve"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/actions/refuse": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Refuses actions that were not carried out yet. */
    post: operations["action_refuse"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/actions/resume": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Resumes actions: what waits is sent. */
    post: operations["action_resume"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/actions/stop": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Stops all actions at once: none is sent until they are resumed. What is requested meanwhile waits. */
    post: operations["action_stop"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/actions/undo": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Has actions undone that were carried out. */
    post: operations["action_undo"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/alarms": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the raised alarms, or all alarms.
     * @description The newest come first. The list of raised alarms may be a few seconds old. The period chooses alarms that were raised at
     *     some time of it.
     */
    get: operations["alarms_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/alarms/acknowledge": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Acknowledges alarms, or takes an acknowledgement back.
     * @description Alarms that are cleared, or that are in the requested state already, stay as they are. An alarm has to meet all given
     *     conditions.
     */
    post: operations["alarms_acknowledge"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/analysis/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Answers a request to the language server about an edited script.
     * @description The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved. The
     *     server is that of `tollgate dup lsp`; each request has the text, so there is no connection to open. The methods are
     *     `initialize`, which returns the capabilities, and those of the capabilities: `textDocument/completion`, `hover`,
     *     `definition`, `references`, `prepareRename`, `rename`, `formatting` and `documentSymbol`.
     */
    post: operations["scripts_analyse"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/audit": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Audits the records of a period.
     * @description The report shows whether every record is accounted for (in = delivered + filtered + held + suspended + duplicate)
     *     and whether sums agree on both sides. The period chooses files by when they were done.
     */
    get: operations["audit_report"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/balance": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Shows how many threads work for which network elements and receivers.
     * @description The answer includes the gateway's last decisions about this, with the reasons.
     */
    get: operations["live_balance"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Shows the charging system: how many accounts and sessions there are, and the account of every amount. */
    get: operations["charging_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/approvals": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists what waits for the approval of a second person, the oldest first. */
    get: operations["account_approvals"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/approvals/{request}/approve": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Approves what another person asked for, and does it.
     * @description If it cannot be done now, such as for want of money, it goes on waiting.
     */
    post: operations["account_approve"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/approvals/{request}/reject": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Rejects what a person asked for: nothing is done. The one who asked for it may do so, too. */
    post: operations["account_reject"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/check": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Checks the books: that each balance is the sum of its entries, and that all sums are zero. */
    get: operations["ledger_check"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/entries": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the entries of all accounts in a period, by account and number. */
    get: operations["ledger_export"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/messages": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the last messages between peers of Diameter and the charging system, in the order of time. They are in memory: those of
     *     the time before a start are gone.
     */
    get: operations["charging_messages"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/peers": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the peers of Diameter of a charging system: those that are or were connected, and those that were refused. */
    get: operations["charging_peers"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/peers/{peer}/allow": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Lets a peer of Diameter in: a table in the definition of the charging system names it from then on. */
    post: operations["charging_peer_allow"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/sessions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the calls and connections in progress of all accounts, in the order of accounts. */
    get: operations["charging_sessions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/sums": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Sums the entries of a period: what accounts had before it, what came and went, and what they have after it. */
    get: operations["ledger_sums"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/traces": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the traces of messages, the newest first. */
    get: operations["charging_traces"];
    put?: never;
    /**
     * Writes the messages between peers of Diameter and the system to a file from now on: all of them, or those of a number, a session
     *     or a peer. The trace ends by itself.
     */
    post: operations["charging_trace_start"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/traces/{trace}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns a part of the file of a trace. The parts one behind another are the file. */
    get: operations["charging_trace_export"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/traces/{trace}/end": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Ends a trace. Its file stays. */
    post: operations["charging_trace_end"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/traces/{trace}/remove": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Removes the file of a trace that has ended. */
    post: operations["charging_trace_remove"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/trail": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists what users and programs changed in the charging system, the newest first. */
    get: operations["charging_trail"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/versions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the versions of the definition that were in use, the newest first. A system that runs has a new one when its
     *     definition or a file of a tariff has changed.
     */
    get: operations["charging_versions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/versions/{version}/file": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Shows a file of a version. */
    get: operations["charging_version_file"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/charging/versions/{version}/restore": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Puts the files of a version back, all or none, or one of them. A system that runs goes by them within a second. */
    post: operations["charging_version_restore"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/counters": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the counters of a subscriber in the rating nodes.
     * @description The list is empty for a subscriber for whom nothing was counted. It needs the role that sees
     *     subscriber data.
     */
    get: operations["tariff_counters"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/counters/change": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Moves, accepts or forgets the counters of a node.
     * @description The gateway makes the change between two files. The request returns when it is done, or after
     *     five seconds with `waiting`; then the gateway makes the change later.
     */
    post: operations["tariff_counters_change"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/counters/in-doubt": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the counters that need a decision.
     * @description After a change of the flow, counters may be without a node, or may belong to other subscribers.
     *     An alarm is raised for each node in this list.
     */
    get: operations["tariff_counters_in_doubt"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/deliveries": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists deliveries, the newest first.
     * @description Without `state` and `all`, the list omits delivered and discarded files. The period chooses
     *     deliveries by `since`.
     */
    get: operations["deliveries_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/deliveries/discard": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Discards deliveries that were given up.
     * @description The files stay where they are.
     */
    post: operations["deliveries_discard"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/deliveries/gathering": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the outputs that wait to be merged into one file, by receiver.
     * @description The file is delivered when it is closed.
     */
    get: operations["deliveries_gathering"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/deliveries/retry": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retries deliveries that were given up.
     * @description They wait to be delivered again, and the count of their failures begins at 0.
     */
    post: operations["deliveries_retry"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/files": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the input files that are done, the newest first.
     * @description The period chooses files by when they were done.
     */
    get: operations["files_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/files/again": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Allows processed files to be processed again.
     * @description If such a file arrives again, it is no duplicate. The earlier outputs stay. A file has to meet all given conditions.
     */
    post: operations["files_again"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/files/refused": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the input files that are refused as a whole, the newest first.
     * @description A file that was set aside has the ending `.poison`. To have it processed again, give it its name back. Files of a
     *     remote place are listed as long as they are refused there, at most 1,000 of a place.
     */
    get: operations["files_refused"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Returns the flow file as it is on the disk, with its graph and its mistakes.
     * @description Mistakes in the scripts, tables and modules that it names may be a few seconds old.
     */
    get: operations["flow_flow"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/consequences": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Shows the consequences of an activation before it happens.
     * @description The flow of a version, or the text of a flow file, is compared with the flow file on the disk. The answer counts the
     *     records, groups and files that wait for a node or receiver that would be removed. A node that is renamed counts as
     *     removed.
     */
    post: operations["versions_consequences"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/edit": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Edits a text of the flow file.
     * @description Comments and the order of tables stay. Nothing is saved.
     */
    post: operations["flow_edit"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/look": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Checks an edited text of the flow file.
     * @description The answer has the mistakes that `tollgate check` would find. Nothing is saved.
     */
    post: operations["flow_look"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/versions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the versions of the flow, the newest first. */
    get: operations["versions_list"];
    put?: never;
    /**
     * Saves a version of the flow.
     * @description The version contains the flow file, and the scripts, their tables, modules and tariff plans as they are on the disk.
     *     It is not activated.
     */
    post: operations["versions_save"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/versions/{version}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns a version with its files. */
    get: operations["versions_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/versions/{version}/activate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Activates a version.
     * @description The files of the version replace those on the disk, and the gateway switches to them without a stop. If the version
     *     has mistakes, the files on the disk are restored. Where the flow wants a second person, the first request proposes the
     *     version, and that of another user activates it. A version that changes who sees subscriber data needs the role
     *     administrator.
     */
    post: operations["versions_activate"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/flow/versions/{version}/reject": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rejects the proposal to activate a version.
     * @description Its author may do so, too. The version stays, and can be proposed again.
     */
    post: operations["versions_reject"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/about": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reports what is stored about a subject: alerts, cases with decisions and steps, actions, entries of lists, and who looked at it. It
     *     needs the role that sees subscriber data, and is a view of the audit trail itself.
     * @description A command makes no entry: its user can read the journal.
     */
    get: operations["fraud_about"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/alerts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists what the rules of fraud nodes have found, the newest first.
     * @description The period chooses alerts by the time at which the rule fired.
     */
    get: operations["fraud_alerts"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists cases: the alerts about a subscriber, until people decide what they are.
     * @description Open cases come by their points, the most first, and have no pages. Others come by their numbers, the newest first.
     */
    get: operations["fraud_cases"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/assign": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Gives open cases to a user. If the gateway has users, it must be one of them. */
    post: operations["fraud_assign"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/decide": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Decides what cases are: fraud, no fraud, or that it cannot be known.
     * @description Cases that are decided already stay as they are.
     */
    post: operations["fraud_decide"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Shows a case: its alerts, and what was done. */
    get: operations["fraud_case"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/{id}/action": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Requests an action about the key of a case. */
    post: operations["action_request"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/{id}/remark": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Adds a remark to a case. */
    post: operations["fraud_remark"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/{id}/reopen": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Opens a decided case again. */
    post: operations["fraud_reopen"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/cases/{id}/unmask": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Shows a case unmasked to a user who does not see subscriber data, if `unmask` of `[privacy]` in the flow file lets the role.
     * @description The entry of the audit trail, with the reason, is made before the response is sent. Each request makes one.
     */
    post: operations["fraud_unmask"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/forget": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Erases a subject by its key: what alerts, cases, steps and actions say about it, the records that alerts are about, and views of
     *     it in the audit trail. What counts for rules stays: numbers, rules, points, times and decisions.
     * @description Actions that are open are refused, approved or done first. Lists stay as they are, and so do the files of records.
     */
    post: operations["fraud_forget"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/lists": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the lists of all fraud nodes, with the numbers of their entries. */
    get: operations["fraud_lists"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/lists/{name}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Shows a list of keys, with how often its entries mattered to rules.
     * @description The numbers of entries are their lines in the file. With `after`, the first entries come first.
     */
    get: operations["fraud_list_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/lists/{name}/add": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Adds an entry to a list. It needs the role that sees subscriber data.
     * @description The list is written at once, and rules go by it a moment later. All other lines stay as they are.
     */
    post: operations["fraud_list_add"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/lists/{name}/import": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Compares a list with a new text of it, and makes the entries those of the text. It needs the role that sees subscriber data.
     * @description Entries belong together by their keys. Those that are different change, and all other lines stay as they are. A list that is
     *     not there yet is made. If the text has a mistake, nothing changes.
     */
    post: operations["fraud_list_import"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/lists/{name}/remove": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Removes all entries of a key from a list. It needs the role that sees subscriber data.
     * @description All other lines stay as they are.
     */
    post: operations["fraud_list_remove"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/records": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the records that were about a key, from the index of a fraud node, with their values where their files are there yet.
     * @description These are the records that rules of the node count, whether a rule fired or not. It needs the role that sees subscriber data, and is a
     *     view of the audit trail.
     */
    get: operations["fraud_records"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/report": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reports what rules have found in a period, and what became of it: records, alerts, cases, decisions and actions, by day, hour, rule,
     *     network element or type of fraud.
     * @description All of it is counted when it came to be by the clock of the gateway: alerts when the file of their record was done, cases when they were opened,
     *     decisions when they were made, actions when they were done. The period is in whole hours.
     */
    get: operations["fraud_report"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/rule-files": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the files in the folders of rules: rules, tables of limits, and scripts. */
    get: operations["fraud_rule_files"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/rule-files/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns a file in a folder of rules. */
    get: operations["fraud_rule_file"];
    /**
     * Replaces a file of rules and activates it, or adds a rule.
     * @description The new text is saved in a new version of the flow. The gateway switches to it without a stop. Where the flow wants a second person,
     *     the version is proposed, and another user activates it.
     */
    put: operations["fraud_put_rule_file"];
    /**
     * Checks an edited file of rules, or a new one.
     * @description The answer has the mistakes that `tollgate check` would find with this text. Nothing is saved.
     */
    post: operations["fraud_check_rule_file"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/rules": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Says what became of the alerts of each rule: how many there are, how many cases they led to, and what these were decided to be.
     * @description The period chooses alerts by the time at which the rule fired.
     */
    get: operations["fraud_rules"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/fraud/rules/approve": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Approves the version of a rule that runs, so that it may act. If two people must approve it, the second one makes it act. */
    post: operations["fraud_activate"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Returns the throughput of the past.
     * @description It includes the time before the last start of the gateway.
     */
    get: operations["live_history"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/live": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Streams live figures as server-sent events.
     * @description The events are: `graph`, the graph of the flow, once; `figures`, each second; and `changed`, when the flow, the
     *     alarms or the versions change. The stream ends when the session or token of the client ends. A user may have 16
     *     streams.
     */
    get: operations["live_live"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/matching": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the groups of records that wait in matching nodes, the oldest first.
     * @description For each group the list shows since when it waits, and when it expires by the flow as its files
     *     are now. The period chooses groups by `since`.
     */
    get: operations["matching_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/matching/end": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ends groups before their time.
     * @description The groups are chosen by `ids`, by `node`, or by both. A group has to meet all given conditions.
     *     The request returns when the groups are ended, or after five seconds; the gateway ends the rest
     *     (`waiting`) later.
     */
    post: operations["matching_end"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/matching/nodes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Counts the groups that wait, by node. */
    get: operations["matching_nodes"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/matching/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Returns a group with its records.
     * @description The group waits, or was released and is still remembered.
     */
    get: operations["matching_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/module": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the text of an ASN.1 module. */
    get: operations["modules_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/numbers/{number}/remove": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Takes a number from its prepaid account. During a call of the number it is refused, since the last request of the call
     *     would find no account.
     */
    post: operations["account_number_remove"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/password": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Changes the caller's password.
     * @description The caller's other sessions end. This needs a session: a token has no password.
     */
    put: operations["session_password"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/people": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the users. */
    get: operations["people_list"];
    put?: never;
    /**
     * Adds a user.
     * @description Give the user the link in the answer, to set a password.
     */
    post: operations["people_invite"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/people/{name}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Changes the role of a user.
     * @description The last administrator with a password keeps the role.
     */
    put: operations["people_role"];
    post?: never;
    /**
     * Removes a user.
     * @description The user's sessions end at once. The last administrator with a password cannot be removed.
     */
    delete: operations["people_remove"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/people/{name}/link": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes a link for a user to set a new password.
     * @description The old password stays valid until then. Earlier links of the user become void.
     */
    post: operations["people_link"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/records": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Decodes records of an input or output file.
     * @description Name the file by `job` (an input file), by `job` and `post_processing_system` (an output file), by `delivery`, or by
     *     `network_element` and `file`. Each record has its values and their octets. One answer reads 256 MiB at most; `next`
     *     says where to go on. For a role that does not see subscriber data, its values are masked and octets are left out.
     */
    get: operations["files_records"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/replay": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Returns the state of the running replay, or the result of the last one.
     * @description For a role that does not see subscriber data, its values in the examples are masked.
     */
    get: operations["replay_show"];
    put?: never;
    /**
     * Starts a replay of earlier files.
     * @description A process beside the gateway runs the files through the flow as it is and as it would be with the change, and
     *     compares the results. Nothing is delivered, and the gateway is not affected. Only one replay runs at a time. The
     *     change is a version, or drafts of files; all other files of the flow are then as they are on the disk.
     */
    post: operations["replay_start"];
    /**
     * Cancels the running replay.
     * @description Its results are dropped.
     */
    delete: operations["replay_cancel"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/samples/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Runs an edited script on records that come to a node.
     * @description The active script runs on the same records for comparison. Nothing is saved. The script may read tables from files,
     *     so this needs the role that may change scripts. It may also show any part of a record, so this needs the role that
     *     sees subscriber data.
     */
    post: operations["scripts_samples"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/scripts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the scripts of the flow. */
    get: operations["scripts_list"];
    put?: never;
    /**
     * Writes a script that no node runs yet.
     * @description A flow file can name it afterwards. The running flow does not change.
     */
    post: operations["scripts_begin"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/scripts/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Returns the text of a script.
     * @description It is a script of the flow, or one that no node runs yet.
     */
    get: operations["scripts_show"];
    /**
     * Replaces a script and activates it.
     * @description The new text is saved in a new version of the flow. The gateway switches to it without a stop.
     */
    put: operations["scripts_put"];
    /**
     * Checks an edited script.
     * @description The answer has the mistakes that `tollgate check` would find with this text as the script `file`. Nothing is saved.
     */
    post: operations["scripts_check"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sequences": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reports on the sequence numbers of files and records.
     * @description The report lists expected, received and missing numbers, repeats, late arrivals and restarts of counters. What is
     *     missing is what is missing now, not what was missing at the end of the period.
     */
    get: operations["sequence_report"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/sequences/accept": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Accepts missing sequence numbers as lost.
     * @description They are no longer missing in reports and alarms. A file or record that arrives after all counts as late.
     */
    post: operations["sequence_accept"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/session": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the name and role of the caller. */
    get: operations["session_session"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the records in suspense, the newest first. */
    get: operations["suspense_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/alike": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Counts the records in suspense by network element, node and error.
     * @description The groups with the most records come first.
     */
    get: operations["suspense_alike"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/discard": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Discards open records.
     * @description They stay in the list of discarded records, with the reason, and can be reopened.
     */
    post: operations["suspense_discard"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/nodes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Counts the open records by network element and node.
     * @description The counts may be a few seconds old.
     */
    get: operations["suspense_nodes"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/reopen": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Reopens discarded records.
     * @description Their history keeps both actions.
     */
    post: operations["suspense_reopen"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/retry": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retries open records.
     * @description They go through the flow as its files are now. If a record was set aside with its group, the whole group is retried.
     *     The request returns when all records are done, or after five seconds; the gateway retries the rest (`waiting`)
     *     later.
     */
    post: operations["suspense_retry"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/retry/take-back": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Takes back requests for retries that are not done yet.
     * @description The records stay open.
     */
    post: operations["suspense_retry_take_back"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/suspense/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Returns a record in suspense with its content and its history.
     * @description It is decoded by the flow as its files are now. For a role that does not see subscriber data, its
     *     values are masked and octets are left out.
     */
    get: operations["suspense_show"];
    /**
     * Edits an open record in suspense.
     * @description The gateway keeps the octets that arrived. The record stays in suspense until it is retried.
     */
    put: operations["suspense_edit"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariff-versions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Loads a tariff plan as a new version.
     * @description The first version creates the database, where the flow names it or in the folder of the flow
     *     file. The name of a new database in that folder has up to 64 letters, digits, `-` and `_`, and
     *     ends with `.db`.
     */
    post: operations["tariff_load"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariff-versions/check": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Checks a draft of a tariff plan.
     * @description The answer has the mistakes that `tollgate tariff check` would find. Nothing is saved.
     */
    post: operations["tariff_check"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariff-versions/{version}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the files of a version of a tariff plan. */
    get: operations["tariff_files"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariff-versions/{version}/withdraw": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Withdraws a version that has not begun yet. */
    post: operations["tariff_withdraw"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariff-versions/{version}/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the text of a file of a version. */
    get: operations["tariff_file"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariffs": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the tariff plans of the flow.
     * @description The list includes databases of versions in the folder of the flow file that no node names.
     */
    get: operations["tariff_list"];
    put?: never;
    /**
     * Explains the price of a usage, step by step.
     * @description The subscriber is one without counters: no bundle is used up, and nothing is spent. Nothing is
     *     saved.
     */
    post: operations["tariff_explain"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tariffs/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns a table of a tariff plan that is a folder. */
    get: operations["tariff_table"];
    /**
     * Replaces a table of a tariff plan and activates it.
     * @description The new text is saved in a new version of the flow. The gateway switches to it without a stop.
     */
    put: operations["tariff_put"];
    /**
     * Checks an edited table of a tariff plan.
     * @description The answer has the mistakes that `tollgate tariff check` would find in the plan with this text. Nothing is saved.
     */
    post: operations["tariff_check_table"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tests/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Runs the tests of an edited script.
     * @description The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
     *     Tests may read records from files, so this needs the role that may change scripts.
     */
    post: operations["scripts_test"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tokens": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the tokens.
     * @description The list does not contain the secrets.
     */
    get: operations["token_list"];
    put?: never;
    /**
     * Makes a token for a program.
     * @description The token expires. Make another one before that, under another name.
     */
    post: operations["token_make"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tokens/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Removes a token.
     * @description The token is void at once.
     */
    delete: operations["token_remove"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/trace": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Traces records: where they came from, which nodes they passed, and where they went.
     * @description Name one record by `file` or `output` together with `record` or `offset`. Or search input files
     *     with `where`; the search reads about 256 MiB for one answer, and the answer says where to go on.
     *     A search needs the role that sees subscriber data.
     */
    get: operations["trace_records"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/trail": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the entries of the audit trail, the newest first.
     * @description The audit trail has the actions of users and tokens, with their reasons, and their views of
     *     subscriber data. For a role that does not see subscriber data, numbers in it are masked. The
     *     period chooses entries by `at`.
     */
    get: operations["trail_list"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/voucher-batches/{batch}/activate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Lets the vouchers of a batch be used: they are sold to the shops. */
    post: operations["voucher_activate"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/voucher-batches/{batch}/block": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Blocks vouchers that are not used, such as stolen ones. */
    post: operations["voucher_block"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/vouchers": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes a batch of vouchers. They can be used once they are activated.
     * @description The response has the PINs, and they are in no other: only their keyed hashes are stored.
     */
    post: operations["voucher_make"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/vouchers/{serial}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Shows a voucher. */
    get: operations["voucher_show"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/login": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Logs a user in.
     * @description The answer sets the cookie of a session. The session ends after 12 hours, or after two hours without a request.
     */
    post: operations["session_login"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/logout": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Logs a user out.
     * @description The session of the cookie ends.
     */
    post: operations["session_logout"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/welcome": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sets a password with a one-time link, and logs the user in.
     * @description The answer sets the cookie of a session. The user's other sessions end.
     */
    post: operations["session_welcome"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/welcome/look": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Returns the user of a one-time link, if the link is still valid.
     * @description The request counts as an attempt to log in.
     */
    post: operations["session_look_at_link"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AcceptMissing: {
      /** @description The reason, for the report and the audit trail. It must not be empty. */
      because: string;
      /** @description The network element. */
      network_element: string;
      /**
       * @description A number, or the first and the last one: `17`, `17-19`. The last is less than the first if the counter wrapped
       *     around.
       */
      numbers: string;
      /** @description What is counted. */
      of: components["schemas"]["Counted"];
      /** @description The name of the counter, if the network element has several. */
      series?: string;
    };
    /** @description The result of accepting numbers. */
    AcceptedNumbers: {
      /**
       * Format: int64
       * @description How many of the numbers were missing and are accepted now.
       */
      accepted: number;
    };
    /** @description A part of what an account has. */
    AccountBalance: {
      /** @description The amount: money in the major unit of the currency, or a whole number of the unit. */
      amount: string;
      /** @description How much can be used. */
      available: string;
      /** @description Its number within the account; 0 for the main balance. */
      bucket: number;
      /** @description The tariff classes that it pays for besides, such as calls within the network. */
      classes: string[];
      /** @description From when on it may be used. Absent for ever. */
      from: string | null;
      /** @description What it was given in all. None for the main balance. */
      given: string | null;
      /** @description The bundle or the bonus that it is from, as `charging.toml` names it. */
      offer: string | null;
      /** @description Balances with a smaller number are used first. */
      priority: number;
      /** @description How much of it is reserved for sessions. */
      reserved: string;
      /** @description Whether it is from an earlier period of its bundle. */
      rolled_over: boolean;
      /** @description The services that it pays for. Without services and classes, it pays for all. */
      services: string[];
      /** @description What it counts. */
      unit: components["schemas"]["AmountUnit"];
      /** @description Until when it may be used. Absent for ever. */
      until: string | null;
    };
    /** @description A page of entries. */
    AccountHistory: {
      /** @description The account. */
      account: number;
      /** @description The currency of its money. */
      currency: string;
      /** @description The entries, the newest first. */
      entries: components["schemas"]["HistoryEntry"][];
      /** @description Whether there are older ones. */
      more: boolean;
    };
    /** @description What an account has spent this month on services with a limit. */
    AccountLimit: {
      /** @description Whether the subscriber agrees to spend more until the month ends. */
      consent: boolean;
      /** @description Whether only what is used abroad counts. */
      is_roaming: boolean;
      /** @description The limit, as `charging.toml` names it. */
      limit: string;
      /** @description The most. */
      most: string;
      /** @description The number that it is for, if each number of the account has the limit for itself. */
      number: string | null;
      /** @description Its services. */
      services: string[];
      /** @description What was spent, without tax. */
      spent: string;
    };
    /** @description A number and its account. */
    AccountLine: {
      /** @description The number of the account. */
      account: number;
      /** @description The money that is available. */
      available: string;
      /** @description The currency. */
      currency: string;
      /** @description The number of the subscriber. */
      number: string;
      /** @description The money that is reserved. */
      reserved: string;
      /** @description The number of open sessions. */
      sessions: number;
      /** @description Who may use it. */
      standing: components["schemas"]["AccountStanding"];
    };
    /** @description The notices of an account. */
    AccountNotices: {
      /** @description The account. */
      account: number;
      /** @description The notices, the newest first. */
      notices: components["schemas"]["SubscriberNotice"][];
    };
    /** @description What a network was refused. */
    AccountRefusal: {
      /** @description When it was. */
      at: string;
      /** @description The client of the charging system that asked. */
      client: string;
      /** @description The code: `no-money`, `barred`; `last-grant` for the last amount of a call, after which it is cut off. */
      code: string;
      /** @description The number that was called; empty without one. */
      other: string;
      /** @description The number that was to pay. */
      served: string;
      /** @description The service; empty if the request named none, since an earlier one of its session did. */
      service: string;
      /** @description The session: 32 hexadecimal digits. */
      session: string;
      /** @description The reason. */
      text: string;
    };
    /** @description What networks were refused for an account. */
    AccountRefusals: {
      /** @description The account. */
      account: number;
      /** @description The refusals, the newest first. */
      refusals: components["schemas"]["AccountRefusal"][];
      /**
       * @description When the list begins: at the start of the process, or when the newest was refused that is not listed. None if the
       *     process answers no networks.
       */
      since: string | null;
    };
    /**
     * @description Who may use an account: the stages of its life.
     * @enum {string}
     */
    AccountStanding: "pre-active" | "active" | "grace" | "suspended" | "closed";
    /** @description What an account pays in each period. */
    AccountSubscription: {
      /** @description When it is charged, or tried again. */
      due: string;
      /** @description Whether it is a fee. */
      is_fee: boolean;
      /** @description The bundle or the fee. */
      offer: string;
      /** @description The beginning of the period that is charged next. */
      period_from: string;
      /** @description Whether there was not enough money for it. */
      unpaid: boolean;
    };
    /** @description A page of accounts. */
    Accounts: {
      /** @description A line for each number. */
      accounts: components["schemas"]["AccountLine"][];
      /** @description Whether there are more numbers. */
      more: boolean;
    };
    AcknowledgeAlarms: {
      /** @description `true`, the default, to acknowledge the alarms, `false` to take the acknowledgement back. */
      acknowledged?: boolean;
      /** @description `true` for all raised alarms, if there is no other condition. */
      all?: boolean;
      /** @description Only alarms of this kind. */
      kind?: string | null;
      /** @description Only alarms with these numbers. */
      numbers?: number[];
      /** @description A remark for other users and the audit trail. */
      remark?: string;
      /** @description Only alarms about this object. */
      subject?: string | null;
    };
    /** @description The acknowledgement of an alarm. */
    Acknowledgement: {
      /** @description When the user acknowledged the alarm. */
      at: string;
      /** @description The user's remark; empty if there is none. */
      remark: string;
      /** @description The user. */
      who: string;
    };
    /** @description A page of actions. */
    ActionList: {
      /** @description The actions. */
      actions: components["schemas"]["RequestedAction"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more. */
      more: boolean;
      stopped: components["schemas"]["Stop"] | null;
    };
    /**
     * @description How far an action is.
     * @enum {string}
     */
    ActionState:
      "new" | "waiting" | "held" | "due" | "sending" | "done" | "refused" | "repeated" | "undo" | "undoing" | "undone";
    ActivateVersion: {
      /**
       * @description The digest of the flow file that the client has seen. The request is refused if the flow file on the disk is
       *     another one by now.
       */
      based_on?: string | null;
      /** @description The reason, for the version and the audit trail. It must not be empty. */
      because: string;
      /**
       * @description The digest `found` from when the version was saved or read. The request is refused if any file on the disk has
       *     changed since.
       */
      found?: string | null;
    };
    ActivateVouchers: {
      /** @description The reason. */
      because: string;
    };
    /** @description The answer of the gateway to a changed flow. */
    Activated: {
      /** @description What the gateway does. */
      answer: components["schemas"]["ActivationAnswer"];
      /** @description The changes of the flow, in words, if the answer is `active` or `pending`. */
      changed: string[];
      /** @description The mistakes, if the answer is `mistakes`; 100 at most. */
      mistakes: string[];
    };
    /** @description An activation of a version. */
    Activation: {
      /** @description When the version was activated. */
      at: string;
      /** @description The reason. Empty if the version was activated before reasons were required. */
      because: string;
      /** @description The user or token. */
      who: string;
    };
    /**
     * @description `active`: the gateway runs the flow. `pending`: it runs it as soon as the files in work are done. `mistakes`: the
     *     flow has mistakes, and the gateway goes on as before. `stopping`: the gateway stops, and the next one runs it.
     *     `proposed`: nothing has changed; another user has to activate the version, too.
     * @enum {string}
     */
    ActivationAnswer: "active" | "pending" | "mistakes" | "stopping" | "proposed";
    AddNumber: {
      /** @description The reason. */
      because: string;
      /** @description The number. */
      number: string;
    };
    AddToFraudList: {
      /** @description Why, for others and the audit trail. It must not be empty. */
      because: string;
      /** @description The day, in UTC, or the time with its zone from which it holds. Absent for always. */
      from?: string | null;
      /** @description The key, or what keys begin with and a `*`: 256 octets at most. */
      key: string;
      /** @description The fraud node, if several have lists of their own. */
      node?: string | null;
      /** @description Where it comes from. */
      source?: string | null;
      /** @description The day, in UTC, or the time with its zone until which it holds. Absent for ever. */
      until?: string | null;
    };
    AdjustAccount: {
      /** @description The amount: `12.50` or `-12.50` in the currency of the account, or a whole number of the unit. */
      amount: string;
      /** @description The reason. */
      because: string;
      /** @description The balance, by its number; 0 for the main balance. */
      bucket?: number;
      new?: components["schemas"]["NewBalance"] | null;
      /** @description The reference of the adjustment. One that comes again with its reference changes nothing. */
      reference: string;
    };
    /** @description An alarm that is raised, or was. */
    Alarm: {
      acknowledged: components["schemas"]["Acknowledgement"] | null;
      /** @description When the alarm was cleared. Absent while it is raised. */
      cleared: string | null;
      /** @description The event type (X.733). */
      event_type: components["schemas"]["AlarmEventType"];
      /**
       * Format: int64
       * @description The alarm's number. 0 if the journal cannot store the alarm, because the disk is full.
       */
      id: number;
      /** @description The kind of alarm: `disk-low`. */
      kind: string;
      /** @description The probable cause (X.733). */
      probable_cause: string;
      /** @description When the alarm was raised, such as `2026-11-21T14:05:00Z`. */
      raised: string;
      /** @description The severity of this kind of alarm, or `cleared`. */
      severity: components["schemas"]["AlarmSeverity"];
      /** @description The object that the alarm is about: a network element, a receiver, a folder. May be empty. */
      subject: string;
      /** @description The problem, in words. */
      text: string;
    };
    /**
     * @description The type of the event that an alarm is about (X.733, X.736).
     * @enum {string}
     */
    AlarmEventType:
      | "communicationsAlarm"
      | "environmentalAlarm"
      | "equipmentAlarm"
      | "integrityViolation"
      | "processingErrorAlarm"
      | "qualityOfServiceAlarm"
      | "timeDomainViolation";
    /**
     * @description The severity of an alarm; `cleared` once it is over.
     * @enum {string}
     */
    AlarmSeverity: "critical" | "major" | "minor" | "warning" | "indeterminate" | "cleared";
    /** @description A page of alarms. */
    Alarms: {
      /** @description The alarms, the newest first. */
      alarms: components["schemas"]["Alarm"][];
      /** @description Whether there are more alarms. */
      more: boolean;
    };
    /** @description A record that an alert is about. */
    AlertRecord: {
      /** @description The name of the file. */
      file: string | null;
      /**
       * Format: int64
       * @description The job whose file has the record.
       */
      job: number;
      /** @description The network element of the file. Absent if the journal does not have the file any more. */
      network_element: string | null;
      /**
       * Format: int64
       * @description The number of the record in the file.
       */
      record: number;
    };
    /** @description Records in suspense with the same network element, node and reason, whatever the values in it. */
    AlikeRecords: {
      /** @description The code of the error. Empty if the records come from a version without codes. */
      code: string;
      /** @description The most frequent values, of those that differ between the records. */
      common: components["schemas"]["CommonValues"][];
      /** @description The number of records whose values were counted: the newest. 0 if the error has no values. */
      counted: number;
      /**
       * Format: int64
       * @description The smallest number in suspense.
       */
      first: number;
      /**
       * Format: int64
       * @description The greatest number in suspense.
       */
      last: number;
      /** @description The network element whose files the records came in. */
      network_element: string;
      /** @description The node or system that refused the records. Empty if they could not be decoded. */
      node: string;
      /**
       * @description The error. A value that differs between the records stands there as its name in braces. If the records have no
       *     code, it is the text of the error without the place in the record.
       */
      reason: string;
      /** @description The number of records. */
      records: number;
      /** @description The error with the names of all its values in braces, for a filter of these records. Empty without a code. */
      template: string;
    };
    AllowFilesAgain: {
      /** @description `true` for all files that were ever processed. Required if there is no other condition. */
      all?: boolean;
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /** @description Whether to allow it although the flow keeps counters of subscribers. They count the records a second time. */
      even_counters?: boolean;
      /** @description Only files of this name. */
      file?: string | null;
      /** @description The files of these jobs: those of the same name and network element, and those that these are duplicates of. */
      jobs?: number[] | null;
      /** @description Only files of this network element. */
      network_element?: string | null;
    };
    AllowPeer: {
      /** @description The reason. */
      because: string;
      /** @description Its profile, such as `open5gs`; `standard` by default. */
      profile?: string | null;
    };
    /** @description The result of allowing files again. */
    AllowedFiles: {
      /** @description The number of files that may be processed again from now on. */
      files: number;
    };
    /**
     * @description What an amount counts.
     * @enum {string}
     */
    AmountUnit: "money" | "octets" | "seconds" | "events";
    AnalyseScript: {
      /** @description The method, as in the Language Server Protocol 3.17: `textDocument/hover`. */
      method: string;
      /** @description Its parameters. Columns are UTF-16 units. The URI of the document may be any; it is the URI of the text in results. */
      params: unknown;
      /** @description The edited text. */
      text: string;
    };
    /** @description What one person asked for and another one approves or rejects. */
    ApprovalRequest: {
      /** @description What is done, by the words of its command: `account refill`. */
      action: string;
      /** @description When it was asked for. */
      at: string;
      /** @description The reason, or the reference of a payment. */
      because: string;
      /**
       * Format: int64
       * @description Its number.
       */
      request: number;
      /** @description What it is about: the account and the amount. */
      subject: string;
      /** @description The user or token who asked for it. */
      who: string;
    };
    /** @description What waits for approval. */
    Approvals: {
      /** @description The amount above which a second person is needed, in the currency of the plan. Absent without one. */
      above: string | null;
      /** @description The requests, the oldest first. */
      requests: components["schemas"]["ApprovalRequest"][];
    };
    ApproveActions: {
      /** @description The numbers of the actions. */
      actions: number[];
    };
    ApproveFraudRule: {
      /** @description The node. */
      node: string;
      /** @description Why, for others and the audit trail. */
      reason: string;
      /** @description The rule. */
      rule: string;
      /** @description The version, as the list of rules has it: another one that came meanwhile is not approved. */
      version: string;
    };
    ApproveRequest: {
      /** @description The reason. */
      because: string;
    };
    /** @description How far the approval of a rule is. */
    ApprovedFraudRule: {
      /** @description Whether another person must approve it, too. */
      approved: components["schemas"]["RuleApproved"];
    };
    AssignFraudCases: {
      /** @description The numbers of the cases. */
      cases: number[];
      /** @description The user. Absent for no one. */
      to?: string | null;
    };
    /** @description The sum of an audited value at one place. */
    AuditAmount: {
      /** @description As in `AuditCount`. */
      day: string | null;
      /** @description As in `AuditCount`. */
      file: string | null;
      /** @description The name of the value, as the flow file has it. */
      name: string;
      /** @description As in `AuditCount`. */
      network_element: string;
      /**
       * Format: int64
       * @description The number of records that have the value.
       */
      records: number;
      /** @description As in `AuditCount`. */
      retried: boolean;
      /**
       * @description The side of the sum. At a network element: the outcome of the records. At a system: `given`
       *     or `written`. At a matching node: `came`, `waited`, `emitted`, `kept`, `dropped`, `aside` or
       *     `changed`.
       */
      side: string;
      /** @description The sum. It may have more digits than a 64-bit integer holds. */
      sum: number;
      /**
       * @description The post-processing system or matching node. Absent in the line of the network element
       *     itself.
       */
      system: string | null;
    };
    /**
     * @description Counts of records at one place: `records` = `delivered` + `filtered` + `held` + `suspended` +
     *     `duplicate`.
     */
    AuditCount: {
      /**
       * @description The day of UTC on which the files were done. Absent unless the report is split by day, which
       *     only the command line does.
       */
      day: string | null;
      /**
       * Format: int64
       * @description Records that went on and reached a system.
       */
      delivered: number;
      /**
       * Format: int64
       * @description The suspended and duplicate records of a network element that were discarded.
       */
      discarded: number;
      /**
       * Format: int64
       * @description The part of `held` that was dropped when its group ended.
       */
      dropped: number;
      /**
       * Format: int64
       * @description Records that had come before.
       */
      duplicate: number;
      /**
       * Format: int64
       * @description Files that are duplicates. Their records are in `duplicate`.
       */
      duplicate_files: number;
      /** @description The file. Absent unless the report is split by file, which only the command line does. */
      file: string | null;
      /**
       * Format: int64
       * @description The number of files; in a line about retried records, the number of jobs that retried them.
       */
      files: number;
      /**
       * Format: int64
       * @description Records that no node or system took.
       */
      filtered: number;
      /**
       * Format: int64
       * @description Records that had to wait in a matching node.
       */
      held: number;
      /** @description Whether `node` is a post-processing system. */
      is_system: boolean;
      /**
       * Format: int64
       * @description Records that a node made.
       */
      made: number;
      /** @description The network element that the files came from. */
      network_element: string;
      /** @description The node or system. Absent in the line of the network element itself. */
      node: string | null;
      /**
       * Format: int64
       * @description The suspended and duplicate records of a network element that are open now.
       */
      open: number;
      /**
       * Format: int64
       * @description All records that came to this place.
       */
      records: number;
      /** @description Whether the line is about retried records. They are in no other line. */
      retried: boolean;
      /**
       * Format: int64
       * @description Records that were refused and went to suspense.
       */
      suspended: number;
      /**
       * Format: int64
       * @description The part of `held` that still waits.
       */
      waiting: number;
    };
    /** @description A difference between two counts or sums that must be equal. */
    AuditDifference: {
      /** @description The day of UTC on which the file was done. */
      day: string | null;
      /** @description The file. Absent if the difference is not in a single file. */
      file: string | null;
      /** @description The network element of the file. Absent if the difference is in all that waits in a node. */
      network_element: string | null;
      /** @description The node or system. Absent if the difference is at the network element itself. */
      node: string | null;
      /** @description The difference, in words. */
      text: string;
    };
    /** @description Files that the journal has forgotten, because they are older than it keeps files. */
    AuditForgotten: {
      /**
       * Format: int64
       * @description The number of files.
       */
      files: number;
      /** @description When the last of them was done. */
      until: string;
    };
    /** @description The audit: a count of every record at every place, and the differences between the counts. */
    AuditReport: {
      /** @description Sums of the values that the flow audits. */
      amounts: components["schemas"]["AuditAmount"][];
      /** @description When the report was made. */
      as_of: string;
      /** @description Counts of records, for each network element and for the nodes and systems behind it. */
      counts: components["schemas"]["AuditCount"][];
      /** @description The differences. The list is empty if every record is accounted for. */
      differences: components["schemas"]["AuditDifference"][];
      /** @description The path of the flow file. */
      flow: string;
      forgotten: components["schemas"]["AuditForgotten"] | null;
      /**
       * @description Outputs that wait to be merged, whatever the requested period. Their records count as
       *     delivered.
       */
      gathered: components["schemas"]["Gathered"][];
      /**
       * Format: int64
       * @description Files that are done but whose outputs have no final names yet, or which are not marked as
       *     done yet.
       */
      in_work: number;
      /**
       * @description The texts of alarms about files that arrived, or may have, and are not in the journal,
       *     whatever the requested period and network element.
       */
      not_taken: string[];
    };
    /** @description The assignment of threads to network elements and receivers. */
    Balance: {
      /** @description The threads that all groups without threads of their own share. */
      common: components["schemas"]["BalancedThreads"];
      /** @description The last decisions, the newest first; 100 at most. */
      decisions: components["schemas"]["BalanceDecision"][];
      /** @description The threads that deliver files to receivers. */
      delivering: components["schemas"]["BalancedDelivering"];
      /** @description The groups in the order of the flow file, then one for the network elements that are in no group. */
      groups: components["schemas"]["BalancedGroup"][];
      /**
       * @description Whether the gateway determines the number of common threads itself. Otherwise the flow file or the command line
       *     sets it.
       */
      is_found: boolean;
      /** @description The number of processors that the gateway may use. */
      processors: number;
    };
    /** @description A decision of the gateway about its threads. */
    BalanceDecision: {
      /** @description When the gateway decided. */
      at: string;
      /** @description The decision, in words. */
      what: string;
      /** @description The reason, in words. */
      why: string;
    };
    /** @description The threads that deliver files to receivers. They are threads of the gateway itself. */
    BalancedDelivering: {
      /** @description The groups in the order of the flow file, then one for the receivers that are in no group. */
      groups: components["schemas"]["BalancedReceivers"][];
      /** @description The number of threads that all groups without threads of their own share. */
      threads: number;
    };
    /** @description A group of network elements, with threads of its own or a share of the common ones. */
    BalancedGroup: {
      /** @description The name of the group. Absent for the members that are in no group. */
      name: string | null;
      network_elements: string[];
      own: components["schemas"]["BalancedThreads"] | null;
      /**
       * Format: int64
       * @description The priority for the common threads: the greatest goes first. Absent if the group has threads of its own.
       */
      priority: number | null;
      /**
       * @description The share of the common threads, relative to other groups of the same priority. Absent if the group has threads
       *     of its own.
       */
      weight: number | null;
    };
    /** @description A group of receivers, with threads of its own or a share of the common ones. */
    BalancedReceivers: {
      /** @description The name of the group. Absent for the members that are in no group. */
      name: string | null;
      post_processing_systems: string[];
      /**
       * Format: int64
       * @description The priority for the common threads: the greatest goes first. Absent if the group has threads of its own.
       */
      priority: number | null;
      /** @description The number of threads of the group. Absent if it uses the common threads. */
      threads: number | null;
      /**
       * @description The share of the common threads, relative to other groups of the same priority. Absent if the group has threads
       *     of its own.
       */
      weight: number | null;
    };
    /** @description Threads that process files. */
    BalancedThreads: {
      /** @description The number of worker processes that have the threads. 0 if they are threads of the gateway itself. */
      processes: number;
      /** @description The number of threads of each process. */
      threads: number;
    };
    /** @description The result of a script for one record. */
    Became: {
      /** @description Why the node would refuse the record, or why the script did not run. */
      problem: string | null;
      /** @description The records that the script makes, each in JSON; empty for a filter. */
      records: string[];
      /** @description The stream by which the record leaves the node. Present only for a filter. */
      stream: string | null;
    };
    BeginScript: {
      /**
       * @description To replace such a script: the digest of its text. The request is refused if the text is another one by now.
       *     Leave it out for a new file.
       */
      based_on?: string | null;
      /**
       * @description The script's file: a path within the folder of the flow file that ends with `.dup`, such as
       *     `scripts/is_long.dup`.
       */
      file: string;
      /** @description The text of the script. */
      text: string;
    };
    /** @description A script that was written. */
    BegunScript: {
      /** @description The digest of the text. */
      digest: string;
    };
    BlockVouchers: {
      /** @description The reason. */
      because: string;
      /** @description Only from this serial number on. */
      first?: number | null;
      /** @description Only up to this serial number. */
      last?: number | null;
    };
    /** @description A bundle that was sold. */
    BoughtBundle: {
      /** @description The account. */
      account: number;
      /** @description The main balance as it is now. */
      balance: string;
      /** @description The bundle. */
      bundle: string;
      /** @description The currency of the account. */
      currency: string;
      /** @description The number of the last entry of the purchase. */
      entry: number;
      /** @description Whether the same purchase came before: nothing was changed now. */
      repeated: boolean;
    };
    /** @description A bundle that can be bought. */
    BundleOnSale: {
      /** @description Its name. */
      bundle: string;
      /** @description The tariff classes that it pays for besides, such as calls within the network. */
      classes: string[];
      /** @description What it consists of. */
      gives: components["schemas"]["GivenAmount"][];
      /** @description What it costs, in the currency of the plan. */
      price: string;
      /** @description Whether it is bought again when its time is over. */
      renews: boolean;
      /** @description Whether what is left then can be used in the next period. */
      rolls_over: boolean;
      /** @description The services that it pays for. Without services and classes, it pays for all. */
      services: string[];
      /** @description Until when it may be used if it is bought now. Absent for ever. */
      until: string | null;
    };
    BuyBundle: {
      /** @description The remark for the statement. */
      because?: string;
      /** @description The name of the bundle. */
      bundle: string;
      /** @description The reference of the order. */
      reference: string;
    };
    CancelBundle: {
      /** @description The reason. */
      because: string;
    };
    /** @description A case with what was done. */
    CaseOfSubject: components["schemas"]["FraudCase"] & {
      /** @description What was done with it, the oldest first. */
      steps: components["schemas"]["CaseStep"][];
    };
    /**
     * @description Which cases are listed.
     * @enum {string}
     */
    CaseState: "open" | "decided" | "all";
    /** @description A step in the life of a case. */
    CaseStep: {
      /** @description When. */
      at: string;
      /** @description Why, to whom, or the remark itself. */
      remark: string;
      /** @description What: a decision, `assigned`, `reopened`, `remark`, `action`. */
      step: string;
      /** @description Who. */
      who: string;
    };
    ChangeCounters: {
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /** @description The change. */
      deed: components["schemas"]["CountersAction"];
      /** @description The node that counted. */
      node: string;
      /** @description The node to move the counters to. Required for `move`, refused otherwise. */
      to?: string | null;
    };
    /** @description How many actions were changed. */
    ChangedActions: {
      /** @description The number of actions that were changed. */
      changed: number;
    };
    /** @description The result of acknowledging alarms. */
    ChangedAlarms: {
      /** @description The number of alarms that were changed. */
      changed: number;
    };
    /** @description The result of a change of counters. */
    ChangedCounters: {
      /** @description The part of them that had counters in both nodes. */
      added_up: number;
      /**
       * @description The number of subscribers whose counters were not forgotten, because they were counted after
       *     the change too.
       */
      left: number;
      /** @description The number of subscribers whose counters were moved, accepted or forgotten. */
      subscribers: number;
      /**
       * @description Whether the change is not done yet. The gateway makes it as soon as the files in work are
       *     done. The other numbers are 0 then.
       */
      waiting: boolean;
    };
    /** @description Which cases were changed. */
    ChangedFraudCases: {
      /** @description Their numbers. */
      cases: number[];
      /** @description How many cases were changed. */
      changed: number;
    };
    /** @description How many entries were changed. */
    ChangedFraudList: {
      /** @description The number of entries that were added or removed. */
      changed: number;
    };
    /** @description How many vouchers have changed. */
    ChangedVouchers: {
      /** @description Their number. */
      changed: number;
    };
    /** @description What a network reported, and how it came to its price. */
    ChargedUsage: {
      /** @description The price without this entry: what other entries of the session have paid. */
      before: string;
      /** @description The units of the intervals that were begun. */
      billed: number;
      /** @description The client of the charging system that reported it. */
      client: string;
      /** @description How many of these bundles of the plan paid. */
      free: number;
      /** @description The number that was called; empty without one. */
      other: string;
      /** @description How much of it balances of its unit paid, such as bundles that were sold. */
      paid_by_balances: number;
      /** @description How much of it this entry paid, if other entries paid the rest: `40 seconds`. */
      part: string | null;
      /** @description The network that the subscriber roamed in; empty at home. */
      partner: string;
      /** @description The units of the whole usage so far that the plan has priced. */
      priced: number;
      /** @description The number that paid. */
      served: string;
      /** @description The service. */
      service: string;
      /** @description When the service began. */
      start: string;
      /** @description The steps to the price by the plan, for a subscriber without counters. */
      steps: components["schemas"]["PriceStep"][];
      /** @description The price of the whole usage so far. */
      total: string;
      /** @description What the network reported with this request: `63 seconds`. */
      used: string;
    };
    /** @description The figures of a charging system. */
    ChargingFigures: {
      /** @description Accounts. */
      accounts: number;
      /** @description Whether the sum of each unit is zero. */
      balanced: boolean;
      /** @description What subscribers have, and where it came from and went, by unit. The sum of each unit is zero. */
      balances: components["schemas"]["SystemBalance"][];
      /** @description The bundles that subscribers can buy. */
      bundles: components["schemas"]["BundleOnSale"][];
      /** @description The tariff classes that balances can be for, and accounts be barred from: those that `charging.toml` names. */
      classes: string[];
      /** @description The currency. */
      currency: string;
      notices: components["schemas"]["NoticesWaiting"] | null;
      /** @description Numbers of subscribers. */
      numbers: number;
      /** @description Sessions in progress. */
      open_sessions: number;
      /** @description The alarms about peers of Diameter that are raised. */
      peer_alarms: components["schemas"]["PeerAlarm"][];
      /** @description The money that is reserved for them. */
      reserved: string;
      /** @description The services of the plans. */
      services: string[];
      /** @description The types of subscribers of the plans. */
      subscriber_types: string[];
      traffic: components["schemas"]["ChargingTraffic"] | null;
      /** @description Batches of changes that the tables of accounts and entries do not have yet. */
      unfolded_batches: number;
      /** @description Why the definition as it is now is not in use, such as its mistakes. Its last version is in use then. */
      unused: string | null;
    };
    /** @description What networks asked of a charging system since it was started, and in the last minute. */
    ChargingTraffic: {
      answers: components["schemas"]["Times"] | null;
      /**
       * Format: double
       * @description How many requests shared a transaction in the last minute, on average.
       */
      batch_size: number;
      commits: components["schemas"]["Times"] | null;
      /** @description The sessions that were over because the network reported nothing in time. */
      lapsed_sessions: number;
      /** @description The refusals, by code: of services of requests, or of whole requests. */
      refused: components["schemas"]["RefusalCount"][];
      /** @description The services of requests that came again, and got the answer of the first time. */
      repeated: number;
      /** @description The sessions that ended since another one with their name began. */
      replaced_sessions: number;
      /** @description The requests of networks, by the phase of their session or the kind of their event. */
      requests: components["schemas"]["RequestCount"][];
      /** @description What was charged in the last minute. */
      revenue_per_minute: string;
      /** @description Since when it answers networks. Totals are since then. */
      since: string;
      /** @description The requests with usage of sessions that are not known. */
      unknown_sessions: number;
    };
    /** @description A page of the audit trail of the charging system. */
    ChargingTrail: {
      /** @description The entries, the newest first. */
      entries: components["schemas"]["TrailEntry"][];
      /** @description Whether there are older ones. */
      more: boolean;
    };
    /** @description A version of the definition. */
    ChargingVersion: {
      /**
       * Format: int64
       * @description The version before it, if there is one.
       */
      before: number | null;
      /** @description The files that differ from the version before: they were changed, added or removed. */
      changed: string[];
      /** @description All of its files. Their names are relative to the folder of the definition. */
      files: string[];
      /** @description When it came into use. */
      since: string;
      /**
       * Format: int64
       * @description Its number.
       */
      version: number;
    };
    /** @description A page of the versions of the definition. */
    ChargingVersions: {
      /** @description Whether there are older ones. */
      more: boolean;
      /**
       * Format: int64
       * @description The version that is in use.
       */
      used: number | null;
      /** @description The versions, the newest first. */
      versions: components["schemas"]["ChargingVersion"][];
    };
    CheckFlow: {
      /** @description The edited text. */
      text: string;
    };
    CheckFraudRuleFile: {
      /** @description The text. */
      text: string;
    };
    CheckScript: {
      /** @description The edited text. */
      text: string;
    };
    CheckTariffTable: {
      /** @description The edited text. */
      text: string;
    };
    /** @description What a check of the books has found. */
    CheckedBooks: {
      /** @description Accounts with entries. */
      accounts: number;
      /** @description Entries. */
      entries: number;
      /** @description How many faults there are. */
      fault_count: number;
      /** @description What is wrong: the first 20 faults. */
      faults: string[];
    };
    /** @description The mistakes of an edited file. */
    CheckedFraudRuleFile: components["schemas"]["Mistakes"];
    /** @description The mistakes of a draft. */
    CheckedScript: components["schemas"]["Mistakes"];
    /** @description The mistakes of a plan with an edited table. */
    CheckedTable: components["schemas"]["Mistakes"];
    /** @description When a merged file is closed: at `at`, or earlier if it reaches one of the limits. */
    Closes: {
      /** @description When the first output has waited for the longest allowed time. */
      at: string;
      /** @description The limit of octets, if there is one. */
      octets_max: number | null;
      /** @description The limit of outputs. */
      outputs_max: number;
      /** @description The limit of records, if there is one. */
      records_max: number | null;
    };
    /** @description A value, and the number of records that have it. */
    CommonValue: {
      /** @description The number of records. */
      records: number;
      /** @description The value. */
      value: string;
    };
    /** @description The values of a parameter in the reasons of a group. */
    CommonValues: {
      /** @description The name of the parameter, as it is in the reason. */
      name: string;
      /** @description The number of other values. It is about right if there are more than 10,000. */
      others: number;
      /** @description The most frequent values, and the number of counted records with each. */
      values: components["schemas"]["CommonValue"][];
    };
    /** @description A peer that is or was connected. */
    ConnectedPeer: {
      /** @description Its connections. */
      connections: components["schemas"]["PeerConnection"][];
      /** @description The messages that were passed over: answers to no request, and requests behind the end. */
      discarded: number;
      /** @description When its last connection ended. */
      ended: string | null;
      /** @description Why its last connection ended. */
      ended_because: string | null;
      /** @description The name of its node: its Origin-Host. */
      host: string;
      /** @description The reports of usage in sessions that are not known. */
      orphans: number;
      /** @description The name of its program, while it is connected. */
      product: string | null;
      /** @description Its realm, while it is connected. */
      realm: string | null;
      /** @description The requests of credit control that it has sent since the start. */
      requests: number;
      /** @description Its answers since the start, by their results. */
      results: components["schemas"]["PeerResult"][];
      /** @description The services of which the total of octets was not the sum of both directions. The larger one is charged. */
      unequal_octets: number;
    };
    /** @description What an activation would change. */
    Consequences: {
      /** @description Whether an activation by this user would only be a proposal: the flow wants a second person. */
      needs_second_person: boolean;
      /** @description The network elements that would be collected from then on. */
      network_elements_added: string[];
      /** @description The network elements that would no longer be collected. */
      network_elements_removed: string[];
      /** @description The nodes that would be added. */
      nodes_added: string[];
      /** @description The nodes that would be removed, or would be of another kind. */
      nodes_removed: components["schemas"]["RemovedNode"][];
      /** @description The receivers that would be added. */
      post_processing_systems_added: string[];
      /** @description The receivers that would be removed. */
      post_processing_systems_removed: components["schemas"]["RemovedReceiver"][];
    };
    /**
     * @description The kind of counter, as in a line of the report: of files or of records.
     * @enum {string}
     */
    Counted: "file" | "record";
    /**
     * @description What a counter is of.
     * @enum {string}
     */
    CounterKind: "bundle" | "discount";
    /**
     * @description The unit of a counter: that of the bundle, or `spent` for an amount.
     * @enum {string}
     */
    CounterUnit: "seconds" | "octets" | "events" | "spent";
    /**
     * @description `move`: they move to another node, because the node was renamed; counts in both nodes are added
     *     up. `accept`: they stay, because the subscribers are the same. `forget`: they are dropped; of a
     *     node that the flow still has, only those that were counted before the node changed.
     * @enum {string}
     */
    CountersAction: "move" | "accept" | "forget";
    /** @description The counters of a subscriber. */
    CountersOf: {
      /** @description The counters; empty if nothing was counted for the subscriber. */
      counters: components["schemas"]["SubscriberCounter"][];
    };
    DecideFraudCases: {
      /** @description The numbers of the cases. */
      cases: number[];
      /** @description What they are. */
      decision: components["schemas"]["Decision"];
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    /**
     * @description What a case is, once people have looked.
     * @enum {string}
     */
    Decision: "fraud" | "not-fraud" | "unsure";
    /** @description A page of deliveries. */
    Deliveries: {
      /** @description The deliveries, the newest first. */
      deliveries: components["schemas"]["Delivery"][];
      /** @description Whether there are more deliveries. */
      more: boolean;
    };
    /** @description A file that is or was delivered to a receiver. */
    Delivery: {
      /** @description The code of the error. Empty without an error, or if it comes from a version without codes. */
      code: string;
      /**
       * Format: int64
       * @description The number of failed attempts.
       */
      failures: number;
      /** @description The file's name, without a folder. */
      file: string;
      /**
       * Format: int64
       * @description The number of the delivery.
       */
      id: number;
      /**
       * @description The path of the file; a relative one begins at the folder of the flow file. Absent if the
       *     file is gone, or if it is only put together when it is delivered.
       */
      lies: string | null;
      /** @description The receiver. */
      post_processing_system: string;
      /** @description The error of the last failed attempt. */
      problem: string | null;
      /**
       * Format: int64
       * @description The number of records in the file.
       */
      records: number;
      /** @description When the delivery came into this state, such as `2026-11-21T14:05:00Z`. */
      since: string;
      /** @description The state of the delivery. */
      state: components["schemas"]["DeliveryState"];
      /** @description The values in the error. */
      values: components["schemas"]["ReasonValue"][];
    };
    /**
     * @description The state of a delivery.
     * @enum {string}
     */
    DeliveryState: "waiting" | "unacknowledged" | "delivered" | "given-up" | "discarded";
    /** @description What is different about a key. */
    DifferentEntry: {
      /** @description Its entries in the text. Empty if they are removed. */
      after: components["schemas"]["WrittenEntry"][];
      /** @description Its entries in the list. Empty if they are added. */
      before: components["schemas"]["WrittenEntry"][];
      /** @description The key. */
      key: string;
    };
    DiscardDeliveries: {
      /** @description `true` for all deliveries that were given up, if neither `ids` nor `post_processing_system` is given. */
      all?: boolean;
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /** @description Only deliveries with these numbers. Deliveries that were not given up are left out. */
      ids?: number[];
      /** @description Only deliveries to this receiver. */
      post_processing_system?: string | null;
    };
    DiscardRecords: {
      /** @description `true` for all records. Required if there are neither `ids` nor conditions. */
      all?: boolean;
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      filter?: components["schemas"]["RecordFilter"] | null;
      /** @description The numbers of the records. */
      ids?: number[] | null;
    };
    /** @description The result of discarding records. */
    Discarded: {
      /** @description The number of records that were discarded. */
      records: number;
      /** @description Records that were left as they are, because a retry of them is requested. */
      to_be_retried: number;
    };
    /** @description The result of discarding deliveries. */
    DiscardedDeliveries: {
      /** @description The number of files that were discarded. */
      files: number;
    };
    /**
     * @description Whether a disk has room: `low` while the alarm `disk-low` is raised, `free` otherwise.
     * @enum {string}
     */
    DiskRoom: "low" | "free";
    /**
     * @description `orphaned`: the flow no longer has a node of this name that keeps counters. `keyed-otherwise`:
     *     the node now determines the subscriber of a record differently.
     * @enum {string}
     */
    DoubtReason: "orphaned" | "keyed-otherwise";
    /** @description The counters that need a decision. */
    DoubtedCounters: {
      /**
       * @description The nodes that keep counters in the flow as its files are now. Counters can be moved to one
       *     of these. Empty if no counters need a decision.
       */
      keeping: string[];
      /** @description The nodes whose counters need a decision; empty if no counters do. */
      nodes: components["schemas"]["DoubtedNode"][];
    };
    /** @description The counters of a node that are not in use, or that may belong to other subscribers. */
    DoubtedNode: {
      asked: components["schemas"]["RequestedCountersChange"] | null;
      /** @description The node that counted. */
      node: string;
      /** @description When the alarm about this was raised. */
      since: string;
      /**
       * @description The number of subscribers with counters. For `keyed-otherwise`: only those that were counted
       *     before the node changed.
       */
      subscribers: number;
      /** @description Why a user must decide. */
      why: components["schemas"]["DoubtReason"];
    };
    EditFlow: {
      /**
       * @description The edits, in order; 1000 at most. If one fails, none is made. An edit is `add`, `remove`, `rename`, `connect`,
       *     `disconnect`, `set` or `unset`: `{"do": "connect", "from": "isRoaming.false", "to": "home"}`.
       */
      edits: components["schemas"]["FlowEdit"][];
      /** @description The text to edit. */
      text: string;
    };
    EditRecord: {
      /**
       * @description The octets that the edit began with, in hexadecimal. The request is refused if the record has
       *     others by now.
       */
      based_on?: string | null;
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /**
       * @description The corrected record in JSON (JER, X.697), in the form of `json` in the answer to GET. Give
       *     either this or `octets`.
       */
      json?: Record<string, unknown> | null;
      /** @description The corrected octets, in hexadecimal. */
      octets?: string | null;
    };
    /** @description The edited text, with its graph and its mistakes. */
    Edited: components["schemas"]["Mistakes"] & {
      /** @description The graph. */
      graph: components["schemas"]["Graph"];
      /** @description The text after all edits. */
      text: string;
    };
    /** @description The record after the edit. */
    EditedRecord: {
      /** @description The record's octets, in hexadecimal. */
      octets: string;
      /** @description Why the octets are no record of the flow. Absent if they are one. */
      problem: string | null;
    };
    EndMatching: {
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /** @description How the groups end. */
      end: components["schemas"]["MatchingEnd"];
      /** @description The numbers of the groups. */
      ids?: number[] | null;
      /** @description Only groups with this key. It needs the role that sees subscriber data. */
      key?: string | null;
      /** @description The groups that wait in this node. */
      node?: string | null;
    };
    EndSession: {
      /** @description The reason. */
      because: string;
    };
    EndTrace: {
      /** @description The reason. */
      because: string;
    };
    /** @description A session that was ended. */
    EndedSession: {
      /** @description The account. */
      account: number;
      /** @description The key of the session. */
      session: string;
    };
    /** @description A page of entries. */
    ExportedBooks: {
      /** @description The currency of money. */
      currency: string;
      /** @description The entries. */
      entries: components["schemas"]["ExportedEntry"][];
      last: components["schemas"]["LastEntry"] | null;
    };
    /** @description An entry of the books. */
    ExportedEntry: {
      /** @description The account. */
      account: number;
      /** @description The amount: negative if it was taken. */
      amount: string;
      /** @description When it was made. */
      at: string;
      /** @description The balance after it. */
      balance: string;
      /** @description The balance; 0 for the main balance. */
      bucket: number;
      /** @description The number of the entry within the account. */
      entry: number;
      /** @description The bundle, the fee or the bonus that it is for. */
      offer: string | null;
      remark: components["schemas"]["Remark"] | null;
      service: components["schemas"]["ExportedService"] | null;
      /** @description The session that it was charged for: 32 hexadecimal digits. */
      session: string | null;
      /** @description Where it went or came from. */
      system: string;
      /** @description What it counts. */
      unit: components["schemas"]["AmountUnit"];
    };
    /** @description A service that was charged. */
    ExportedService: {
      /** @description Its name. */
      name: string;
      /** @description The number that was called; empty without one. */
      other: string;
      /** @description The number that paid. */
      served: string;
    };
    /**
     * @description Where a file is: `collected` is the folder of the network element.
     * @enum {string}
     */
    FileLies: "collected" | "archive" | "output";
    /** @description A record of a file, or octets that cannot be decoded as one. */
    FileRecord: {
      damage: components["schemas"]["RecordDamage"] | null;
      /** @description Whether parts are left out. A record shows 2000 at most. */
      is_cut: boolean;
      /** @description The size of the record in octets. */
      length: number;
      /** @description The octets in hexadecimal; only the first 16 KiB of a larger record. Empty if subscriber data is masked. */
      octets: string;
      /** @description The offset of the record's first octet in the uncompressed file. */
      offset: number;
      /** @description The values of the record; of a damaged one, those before the damage. */
      parts: components["schemas"]["RecordPart"][];
      /** @description Why the octets are no record. Absent for a record. */
      problem: string | null;
      /** @description The record's number in the file, from 1. */
      record: number;
    };
    /** @description Some records of a file. */
    FileRecords: {
      /** @description The file's name. */
      file: string;
      /**
       * Format: int64
       * @description The number of the file's job. Absent if the file is not processed yet.
       */
      job: number | null;
      /** @description Where the file is. */
      lies: components["schemas"]["FileLies"];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      next: components["schemas"]["GoOn"] | null;
      /** @description The network element or post-processing system that the file belongs to. */
      node: string;
      /** @description The size of the file on the disk in octets, before decompression. */
      octets: number;
      /** @description The number of records that were read for this answer. */
      read: number;
      /** @description The records. */
      records: components["schemas"]["FileRecord"][];
    };
    /** @description A page of input files. */
    Files: {
      /** @description The files, the newest first. */
      files: components["schemas"]["InputFile"][];
      /** @description Whether there are more files. */
      more: boolean;
    };
    /** @description The flow file as it is on the disk, with its graph and its mistakes. */
    Flow: components["schemas"]["Mistakes"] & {
      /** @description The digest of the text. It changes when the text does. */
      digest: string;
      /** @description The graph. */
      graph: components["schemas"]["Graph"];
      /** @description The kinds of tables that a flow file can have, with their keys. */
      kinds: components["schemas"]["Kind"][];
      /** @description The name of the flow: that of its file, or that of its folder if the file is called `flow.toml`. */
      name: string;
      /** @description The text of the flow file. */
      text: string;
    };
    /** @description A change of the text of a flow file. */
    FlowEdit:
      | {
          /** @enum {string} */
          do: "add";
          /** @description The streams whose records it takes. A network element takes none. */
          from?: string[];
          /** @description The name of its kind of table: `filter`. */
          kind: string;
          /** @description Up to 100 letters, digits, `-` and `_`. The name must be free. */
          name: string;
          /** @description The keys of its table, each with its value. */
          settings?: {
            [key: string]: unknown;
          };
        }
      | {
          /** @enum {string} */
          do: "remove";
          /** @description The network element, node or system. */
          name: string;
        }
      | {
          /** @enum {string} */
          do: "rename";
          /** @description The old name. */
          name: string;
          /** @description The new name. */
          to: string;
        }
      | {
          /** @enum {string} */
          do: "connect";
          /** @description The stream, as the flow file names it: `isRoaming.false`. */
          from: string;
          /** @description The node or system that takes the stream. */
          to: string;
        }
      | {
          /** @enum {string} */
          do: "disconnect";
          /** @description The stream, as the flow file has it. */
          from: string;
          /** @description The node or system that takes the stream. */
          to: string;
        }
      | {
          /** @enum {string} */
          do: "set";
          /** @description The key. A dot separates the name of an inner table from its key: `deliver.dir`. */
          key: string;
          /** @description The network element, node or system. */
          name: string;
          /** @description The value: any JSON that TOML can express. */
          value: unknown;
        }
      | {
          /** @enum {string} */
          do: "unset";
          /** @description The key, as for `set`. */
          key: string;
          /** @description The network element, node or system. */
          name: string;
        };
    ForgetFraudSubject: {
      /** @description Why, for the audit trail, which has a digest of the key alone. It must not be empty, and must not name the key. */
      because: string;
      /** @description The key, such as a number. */
      key: string;
    };
    /** @description What was erased. */
    ForgottenFraudSubject: {
      /** @description The number of actions, whose keys and reasons were erased. They cannot be undone any more. */
      actions: number;
      /** @description The number of alerts, whose keys and conditions were erased. */
      alerts: number;
      /** @description The number of cases, whose keys and reasons were erased. */
      cases: number;
      /**
       * @description The number of records about the key that are in indexes, and are not found from now on. The files of the indexes are written without
       *     them within minutes, if the gateway runs. Those of the last seconds are not counted, and not found either.
       */
      indexed: number;
      /** @description The number of entries of lists whose hits are counted without the key from now on. */
      list_hits: number;
      /** @description The lists that have an entry of the key, and those that cannot be read: these are for people to change. */
      lists: string[];
      /** @description What the subject is called from now on. */
      marker: string;
      /** @description The number of entries of the audit trail that still name the key, in what users have written. */
      mentions: number;
      /** @description Other keys that the key is part of, such as pairs: 100 at most. They are subjects of their own. */
      other_keys: string[];
      /** @description The number of records that these alerts were about. */
      records: number;
      /** @description The number of steps of these cases, whose remarks were erased. */
      steps: number;
      /** @description The number of views and changes in the audit trail that do not name the key any more. */
      trail: number;
    };
    /** @description An alert. */
    FoundAlert: {
      /** @description The time at which the rule fired: that of the record, or a later one by a record that was late. */
      at: string;
      /**
       * Format: int64
       * @description The number of its case. Absent without one.
       */
      case: number | null;
      /** @description The condition, each name with its value. */
      condition: string;
      /**
       * @description A digest of what it is about: the same files in the same order give the same one. Absent if subscriber data is masked,
       *     or the subject was erased.
       */
      digest: string | null;
      /** @description The recent records that it is about, in the order of their times, if the rule has `evidence`. */
      evidence: components["schemas"]["AlertRecord"][];
      /** @description The name of the file. */
      file: string | null;
      /** @description The type of fraud that the rule finds, if it says one. */
      fraud_type: string | null;
      /**
       * Format: int64
       * @description Its number.
       */
      id: number;
      /**
       * Format: int64
       * @description The job whose file has the record.
       */
      job: number;
      /** @description Which one it is. */
      key: string;
      /** @description The network element of the file. Absent if the journal does not have the file any more. */
      network_element: string | null;
      /** @description The node. */
      node: string;
      /**
       * Format: int64
       * @description The number of the record in the file. 0 if the subject was erased.
       */
      record: number;
      /** @description The rule. */
      rule: string;
      /** @description A digest of the rule's file when it fired. */
      rule_version: string;
      /** @description The points that it has. */
      score: number;
      /** @description How bad it is: `warning`, `minor`, `major` or `critical`. */
      severity: string;
      /** @description Whether the rule is only tried out: the alert opens no case, and nothing is done. Absent otherwise. */
      shadow?: boolean;
      /** @description What the rule is about, such as `caller`. */
      subject: string;
    };
    /** @description A page of alerts. */
    FraudAlerts: {
      /** @description The alerts, the newest first. */
      alerts: components["schemas"]["FoundAlert"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more alerts. */
      more: boolean;
    };
    /** @description A case. */
    FraudCase: {
      /** @description How many alerts it has. */
      alerts: number;
      /** @description Who works on it. Absent for no one. */
      assigned: string | null;
      /** @description When it was decided. */
      decided: string | null;
      /** @description Who decided it. */
      decided_by: string | null;
      /** @description What it is. Absent until it is decided. */
      decision: string | null;
      /** @description The time of its first alert. */
      first: string;
      /** @description The types of fraud that these find. */
      fraud_types: string[];
      /**
       * Format: int64
       * @description Its number.
       */
      id: number;
      /** @description Which one it is. */
      key: string;
      /** @description The time of its last alert. */
      last: string;
      /** @description The node whose rules found it. */
      node: string;
      /** @description When it was opened: when the file of the alert that opened it was done. */
      opened: string;
      /** @description Why. */
      reason: string | null;
      /** @description Their rules. */
      rules: string[];
      /** @description The sum of the highest alert of each rule. */
      score: number;
      /** @description The worst of its alerts: `warning`, `minor`, `major` or `critical`. */
      severity: string;
      /** @description What it is about, such as `caller`. */
      subject: string;
    };
    /** @description A page of cases. */
    FraudCases: {
      /** @description The cases. */
      cases: components["schemas"]["FraudCase"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more cases. */
      more: boolean;
    };
    /** @description A page of a list. */
    FraudList: {
      /** @description The entries. */
      entries: components["schemas"]["FraudListEntry"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more. */
      more: boolean;
    };
    /** @description An entry of a list. */
    FraudListEntry: {
      /** @description Why. */
      because: string | null;
      /** @description The day or time from which it holds. Absent for always. */
      from: string | null;
      /**
       * Format: int64
       * @description How often it mattered to a rule. Entries with the same key count together.
       */
      hits: number;
      /** @description The key, or what keys begin with and a `*`. */
      key: string;
      /** @description The time of the last record for which it mattered. */
      last_hit: string | null;
      /**
       * Format: int64
       * @description Its line in the file, from 1.
       */
      line: number;
      /** @description Whether its time is over. */
      over: boolean;
      /** @description Where it comes from. An action has its identifier here. */
      source: string | null;
      /** @description The day or time until which it holds. Absent for ever. */
      until: string | null;
      /** @description Who has added it. */
      who: string | null;
    };
    /** @description How large a list is. */
    FraudListFigures: {
      /** @description The number of entries that never mattered to a rule, or whose time is over. Absent if it cannot be read. */
      dead: number | null;
      /** @description The number of its entries. Absent if it cannot be read. */
      entries: number | null;
      /** @description Its name. */
      name: string;
      /** @description Why it cannot be read. Absent if it can. */
      problem: string | null;
    };
    /** @description A folder of lists, which one or more nodes read. */
    FraudListFolder: {
      /** @description Its lists, by name. */
      lists: components["schemas"]["FraudListFigures"][];
      /** @description The fraud nodes that read it. */
      nodes: string[];
      /** @description Why it cannot be read. Absent if it can. */
      problem: string | null;
    };
    /** @description The lists of fraud nodes. */
    FraudLists: {
      /** @description The folders of lists. There is none if no fraud node has lists. */
      folders: components["schemas"]["FraudListFolder"][];
    };
    /** @description A record about a key. */
    FraudRecord: {
      /** @description When it happened, by the record. */
      at: string;
      /** @description The name of the file. */
      file: string | null;
      /**
       * Format: int64
       * @description The job whose file has the record.
       */
      job: number;
      /** @description The network element of the file. Absent if the journal does not have the file any more. */
      network_element: string | null;
      /** @description The values of the record. Absent if they cannot be shown, or are left out. */
      parts: components["schemas"]["RecordPart"][] | null;
      /** @description Why there are no values, or why these are not the whole record. */
      problem: string | null;
      /** @description The number of the record in the file, from 1. */
      record: number;
      /** @description What the key is of the record, such as `caller`. */
      subject: string;
    };
    /** @description A page of records about a key. */
    FraudRecords: {
      /** @description The place to go on at. Absent if there are no more. */
      next: string | null;
      /** @description The node. */
      node: string;
      /** @description The records. */
      records: components["schemas"]["FraudRecord"][];
      /**
       * Format: int64
       * @description The number of files that are done, and whose records are not in the index yet: those of the last seconds.
       */
      waiting: number;
    };
    /** @description What was found in a period. */
    FraudReport: {
      /** @description What there is a row for. */
      by: components["schemas"]["ReportBy"];
      /** @description The beginning of the period. */
      from: string;
      /** @description The rows, in the order of what they are about. */
      rows: components["schemas"]["ReportRow"][];
      /** @description The end of the period. */
      to: string;
      /** @description All together: each case counts once. */
      total: components["schemas"]["ReportRow"];
    };
    /** @description A file in a folder of rules. */
    FraudRuleFile: {
      /** @description The digest of the text. */
      digest: string;
      /** @description The file, with the folder as the flow file names it. */
      file: string;
    };
    /** @description The files of rules. */
    FraudRuleFiles: {
      /** @description The files, by folder and name. */
      files: components["schemas"]["FraudRuleFile"][];
      /** @description The folders of rules, as the flow file names them: a new rule is a new file in one of them. */
      folders: string[];
    };
    /** @description A file in a folder of rules. */
    FraudRuleText: {
      /** @description The digest of the text, for `based_on`. */
      digest: string;
      /** @description The file, with the folder as the flow file names it. */
      file: string;
      /** @description The text. */
      text: string;
    };
    /** @description What became of the alerts of rules. */
    FraudRules: {
      /** @description The rules that run, and those that have alerts, by node and name. */
      rules: components["schemas"]["RuleFigures"][];
    };
    /** @description All that is stored about a subject. */
    FraudSubject: {
      /** @description The actions, the newest first, 10000 at most. */
      actions: components["schemas"]["RequestedAction"][];
      /** @description The alerts, the newest first, 10000 at most. */
      alerts: components["schemas"]["FoundAlert"][];
      /** @description The cases, the newest first, 10000 at most. */
      cases: components["schemas"]["CaseOfSubject"][];
      /** @description How many records about the key are in indexes: `GET /api/fraud/records` lists them. */
      indexed: number;
      /** @description The key. */
      key: string;
      /** @description The entries of lists that are for the key. */
      lists: components["schemas"]["ListedKey"][];
      /** @description Whether there are more alerts, cases, actions or views than shown. */
      more: boolean;
      /** @description Other keys that the key is part of, such as pairs: 100 at most. They are subjects of their own. */
      other_keys: string[];
      /** @description The lists that have mistakes or cannot be read. */
      unread_lists: string[];
      /** @description The views that name the key or its cases, the newest first, 10000 at most. */
      views: components["schemas"]["TrailEntry"][];
    };
    /** @description A stream that a node takes. */
    From: {
      /** @description The node that the stream leaves. */
      node: string;
      /** @description The name of the stream. Absent if the flow file names only the node. */
      stream: string | null;
      /** @description The stream, as the flow file has it: `isRoaming.false`. */
      word: string;
    };
    /** @description Outputs that wait to be merged into one file for a receiver. */
    Gathered: {
      closes: components["schemas"]["Closes"] | null;
      /**
       * Format: int64
       * @description The size of the file in octets if it were closed now, uncompressed.
       */
      octets: number;
      /**
       * Format: int64
       * @description The number of outputs that wait.
       */
      outputs: number;
      /** @description The receiver. */
      post_processing_system: string;
      /**
       * Format: int64
       * @description The number of records in them.
       */
      records: number;
      /** @description The time since which the first output waits. */
      since: string;
      /** @description The state, which distinguishes this from a delivery. */
      state: components["schemas"]["GatheredState"];
    };
    /**
     * @description The only state of outputs that wait to be merged.
     * @enum {string}
     */
    GatheredState: "gathering";
    /** @description The outputs that wait to be merged. */
    Gathering: {
      /** @description The outputs, by receiver. */
      gathering: components["schemas"]["Gathered"][];
    };
    /** @description An amount that an account gets. */
    GivenAmount: {
      /** @description The amount: money in the major unit of the currency, or a whole number of the unit. */
      amount: string;
      /** @description What it counts. */
      unit: components["schemas"]["AmountUnit"];
    };
    /** @description What an account got as a bonus. */
    GivenBonus: {
      /** @description The amount. */
      amount: string;
      /** @description The bonus of `charging.toml`. */
      bonus: string;
      /** @description The balance that it made. */
      bucket: number;
      /** @description What it counts. */
      unit: components["schemas"]["AmountUnit"];
    };
    /** @description The place to go on at: the parameters `record` and `at` of the next request. */
    GoOn: {
      /** @description Absent if the file has to be read from its beginning. */
      at: string | null;
      /** @description The number of the next record. */
      record: number;
    };
    /** @description The graph of the flow: each node, and the streams that it takes. */
    Graph: {
      /** @description The nodes. */
      nodes: components["schemas"]["Node"][];
    };
    /**
     * @description How a group ended.
     * @enum {string}
     */
    GroupRelease: "complete" | "expired" | "dropped" | "suspended";
    /** @description The records in suspense, counted. */
    Groups: {
      /** @description The groups, those with the most records first. */
      groups: components["schemas"]["AlikeRecords"][];
      /**
       * Format: int64
       * @description The greatest number of a record in all groups, for `up_to`; 0 if there is no record.
       */
      last: number;
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more groups. */
      more: boolean;
      /** @description The number of records in all groups. */
      records: number;
    };
    /** @description The throughput of a period. Each list has one value per point; it is `null` if the gateway did not run then. */
    History: {
      /** @description The beginning of each point, in seconds since 1970. The first point is the first one with data. */
      at: number[];
      /** @description The delay of the slowest file, from arrival to delivery, in seconds; `null` if no file was delivered. */
      delay_seconds: (number | null)[];
      /** @description Octets per second. */
      octets: (number | null)[];
      /** @description Records per second. */
      records: (number | null)[];
      /**
       * Format: int64
       * @description The length of a point in seconds: for an hour some seconds, for a day a minute, for 30 days half an hour.
       */
      step_seconds: number;
      /** @description Records per second that went to suspense. */
      suspended: (number | null)[];
    };
    /** @description An amount that was moved. */
    HistoryEntry: {
      /** @description The amount: negative if it was taken. */
      amount: string;
      /** @description When it was made. */
      at: string;
      /** @description That balance after it. */
      balance: string;
      /** @description The balance that it changed; 0 for the main balance. */
      bucket: number;
      /** @description The bundle or the bonus that this balance is from. */
      bucket_offer: string | null;
      charged: components["schemas"]["ChargedUsage"] | null;
      /** @description Its number within the account. */
      entry: number;
      /** @description The bundle, the fee or the bonus that it is for. */
      offer: string | null;
      remark: components["schemas"]["Remark"] | null;
      /** @description The session that it was charged for: 32 hexadecimal digits. What a network refunded is of no session. */
      session: string | null;
      /**
       * @description Where it went or came from: `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus`,
       *     `fee` or `bundle`; `orphan` for usage of a session that is not known, which is not charged.
       */
      system: string;
      /** @description What it counts. */
      unit: components["schemas"]["AmountUnit"];
    };
    ImportFraudList: {
      /** @description Whether the list is changed. Without it, only the differences are shown. */
      apply?: boolean;
      /** @description Why, for the audit trail, and for entries if the text has no column for it. */
      because?: string;
      /** @description What mistakes call the text, such as the name of its file. By default, that of the list. */
      file?: string | null;
      /** @description The fraud node, if several have lists of their own. */
      node?: string | null;
      /** @description The new text, a CSV table with the column `key`. A column that it does not have stays as it is in the list. */
      text: string;
    };
    ImportSubscribers: {
      /** @description Opens no account, and answers with the mistakes of the subscribers. */
      only_check?: boolean;
      /** @description The subscribers, 10,000 at most. */
      subscribers: components["schemas"]["NewSubscriber"][];
    };
    /** @description What became of the subscribers. */
    Imported: {
      /** @description Why subscribers cannot be imported: the first 100 mistakes. Only a check has them; an import with one is refused. */
      mistakes?: components["schemas"]["SubscriberMistake"][];
      /** @description Accounts that were opened. */
      opened: number;
      /** @description Numbers that have an account already. */
      there: number;
    };
    /** @description What is different. */
    ImportedFraudList: components["schemas"]["Mistakes"] & {
      /** @description The number of entries of keys that only the text has. */
      added: number;
      /** @description Whether the list was changed. */
      applied: boolean;
      /** @description The number of keys whose entries are others. */
      changed: number;
      /** @description The keys that are different: 1000 at most, first those that are removed, then those that are changed and added. */
      differences: components["schemas"]["DifferentEntry"][];
      /** @description The number of those that are left out. */
      differences_left_out: number;
      /** @description The number of entries of keys that only the list has. */
      removed: number;
    };
    /**
     * @description An input file that is done, with the outcomes of its records: `records` = `delivered` + `filtered` + `held` +
     *     `suspended` + `duplicate`.
     */
    InputFile: {
      /** @description The code of the reason. Empty without one. */
      code: string;
      /**
       * Format: int64
       * @description Records that were delivered to a system.
       */
      delivered: number;
      /** @description When the file was done. */
      done: string;
      /**
       * Format: int64
       * @description Records that had come before.
       */
      duplicate: number;
      /**
       * Format: int64
       * @description The job of the earlier file, if this file is a duplicate.
       */
      duplicate_of: number | null;
      /** @description The file's name. */
      file: string;
      /**
       * Format: int64
       * @description Records that no node or system took.
       */
      filtered: number;
      /**
       * Format: int64
       * @description Records that had to wait in a matching node.
       */
      held: number;
      /**
       * Format: int64
       * @description The number of the file's job.
       */
      job: number;
      /** @description Whether the file may be processed again: the same file is then no duplicate of this one. */
      may_come_again: boolean;
      /** @description The network element where it was collected. */
      network_element: string;
      /**
       * Format: int64
       * @description The size of the file in octets.
       */
      octets: number;
      /** @description Why no record of the file was processed, if so. */
      reason: string | null;
      /**
       * Format: int64
       * @description All records of the file.
       */
      records: number;
      /**
       * Format: int64
       * @description Records that went to suspense.
       */
      suspended: number;
      /** @description The values in the reason. */
      values: components["schemas"]["ReasonValue"][];
    };
    InvitePerson: {
      /** @description Up to 64 letters, digits, `.`, `-`, `_` and `@`. */
      name: string;
      /** @description The role. */
      role: components["schemas"]["Role"];
    };
    /** @description The user of a one-time link. */
    Invited: {
      /** @description Absent for the link of the first administrator, who has no name yet. */
      name: string | null;
    };
    /** @description A kind of network element, node or system, with its keys. */
    Kind: {
      /** @description The name of the kind: `filter`. */
      kind: string;
      /** @description The most common keys; for nodes, all keys. */
      settings: components["schemas"]["Setting"][];
      /** @description The names of the streams that leave it. Absent if they depend on the node. */
      streams: string[] | null;
    };
    /** @description The last entry of a page. */
    LastEntry: {
      /** @description Its account. */
      account: number;
      /** @description Its number. */
      entry: number;
    };
    /** @description A file that the flow names and that a version does not contain. Activating the version leaves it as it is. */
    LeftOutFile: {
      /** @description The file, as the flow names it. */
      name: string;
      /**
       * @description The reason: it is too large, outside the folder of the flow file, a secret, or not of the kind that the flow
       *     names it as.
       */
      why: string;
    };
    /** @description A link to set a password. It is valid once, for 24 hours. */
    Link: {
      /**
       * @description The path of the page: `/welcome#…`. Browsers do not send the part after `#`; the page sends it with `POST
       *     /welcome`.
       */
      link: string;
    };
    LinkLooked: {
      /** @description The part of the link after `#`. */
      link: string;
    };
    /** @description An entry of a list that is for a key. */
    ListedKey: components["schemas"]["FraudListEntry"] & {
      /** @description The list. */
      list: string;
      /** @description The fraud nodes that read it. */
      nodes: string[];
    };
    /** @description A script of the flow. */
    ListedScript: {
      /** @description The digest of the text. */
      digest: string;
      /** @description The script's file, as the flow file names it. */
      file: string;
      /** @description The nodes that run it. */
      nodes: string[];
    };
    /** @description The number of alarms by severity. */
    LiveAlarms: {
      critical: number;
      major: number;
      minor: number;
      warning: number;
    };
    /** @description A notice that something changed; request it again to see the change. */
    LiveChanged: {
      /** @description What changed. */
      what: components["schemas"]["LiveSubject"];
    };
    /**
     * @description The records that went over an edge in each window, including those that were refused at its end or behind it. After
     *     a node that makes records, these are the records that it made.
     */
    LiveEdge: {
      five_minutes: number;
      /** @description The network element or node that the edge leaves. */
      from: string;
      /** @description The stream of `from`; empty for that of a network element. */
      stream: string;
      ten_seconds: number;
      /** @description The node or post-processing system that the edge enters. */
      to: string;
      today: number;
    };
    /** @description The figures of a network element. */
    LiveElement: {
      five_minutes: components["schemas"]["LiveElementCounts"];
      ten_seconds: components["schemas"]["LiveElementCounts"];
      today: components["schemas"]["LiveElementCounts"];
      /** @description Jobs that wait, and files that stay in the folder. */
      waiting: number;
    };
    /**
     * @description What became of the records of a network element in the whole flow. A file counts when it is done. `in` is the sum of
     *     `out`, `filtered`, `suspended`, `held` and `duplicate`. Records that are retried do not count again.
     */
    LiveElementCounts: {
      /** @description Records that came before, alone or with their file. */
      duplicate: number;
      /** @description Files that are done. */
      files: number;
      /** @description Records that the flow dropped by its own rules. */
      filtered: number;
      /** @description Records that waited in a node when their file was done. */
      held: number;
      /** @description Records of these files. */
      in: number;
      /** @description Octets of these files. */
      octets: number;
      /** @description Records of which at least one record was written for a post-processing system. */
      out: number;
      /** @description Records that could not be read, or that a node or post-processing system refused. */
      suspended: number;
    };
    /** @description The data of an event, by the event's name: `graph`, `figures` or `changed`. */
    LiveEvent:
      components["schemas"]["Graph"] | components["schemas"]["LiveFigures"] | components["schemas"]["LiveChanged"];
    /**
     * @description The figures of a moment. Counts are those of three windows: the last 10 seconds, the last 5 minutes, and today.
     *     `seconds` has the length of each window. Names without a count in any window are left out.
     */
    LiveFigures: {
      /** @description Raised alarms. */
      alarms: components["schemas"]["LiveAlarms"];
      /** @description Raised alarms that are not acknowledged. */
      alarms_unacknowledged: components["schemas"]["LiveAlarms"];
      /** @description When the figures were taken. */
      at: string;
      /** @description The edges that records went over. */
      edges: components["schemas"]["LiveEdge"][];
      /** @description By name of the network element. */
      elements: {
        [key: string]: components["schemas"]["LiveElement"];
      };
      /** @description Whether the journal accepts writes. */
      journal_is_written: boolean;
      /** @description By name of the node. */
      nodes: {
        [key: string]: components["schemas"]["LiveNode"];
      };
      /** @description The room on the disk of the journal. */
      room: components["schemas"]["DiskRoom"];
      /** @description How many seconds each window covers. Divide counts by it to get rates. */
      seconds: components["schemas"]["LiveSeconds"];
      /** @description Open records in suspense. */
      suspense_open: number;
      /** @description By name of the post-processing system. */
      systems: {
        [key: string]: components["schemas"]["LiveSystem"];
      };
      /** @description The threads that process files. */
      threads: components["schemas"]["LiveThreads"];
    };
    /** @description The figures of a node. */
    LiveNode: {
      five_minutes: components["schemas"]["LiveNodeCounts"];
      /** @description The keys that the node remembers. Absent for a node that remembers none. */
      keys?: number;
      ten_seconds: components["schemas"]["LiveNodeCounts"];
      today: components["schemas"]["LiveNodeCounts"];
    };
    /**
     * @description What a node did with the records that came to it. `in` is the sum of `out`, `filtered`, `suspended`, `held` and
     *     `duplicate`. It is also the sum of the edges that enter the node, except for records that a retry gives to the node
     *     directly.
     *
     *     A record that is refused at a later node counts here as `out`: it came to the node and left it, although its outputs
     *     were taken back. It counts on one path only, from its network element to the node that refused it.
     */
    LiveNodeCounts: {
      /** @description Records that the node found to be duplicates. */
      duplicate: number;
      /** @description Records that the node dropped, or that left it by a stream without a receiver. */
      filtered: number;
      /** @description Records that began to wait in the node. They do not count again when they are released. */
      held: number;
      /** @description Records that came to the node. */
      in: number;
      /**
       * @description Records that the node made, of records that came or of groups that ended. They leave the node in place of those.
       *     Records that were taken back after a refusal at a later node do not count.
       */
      made: number;
      /** @description Records that the node passed on, or of which it made others. */
      out: number;
      /** @description Records that the node itself refused. */
      suspended: number;
    };
    /** @description The seconds that each window covers. */
    LiveSeconds: {
      /**
       * Format: double
       * @description 300 to 310 seconds. Less if the gateway was started later, more if figures were late.
       */
      five_minutes: number;
      /**
       * Format: double
       * @description 10 seconds. Less if the gateway was started later, more if figures were late.
       */
      ten_seconds: number;
      /**
       * Format: double
       * @description The seconds since midnight in UTC. Today includes what earlier runs of the gateway did. Until that is read from
       *     the journal, which takes a moment after a start, today begins with the start.
       */
      today: number;
    };
    /**
     * @description What changed in the gateway.
     * @enum {string}
     */
    LiveSubject: "flow" | "alarms" | "versions";
    /** @description The figures of a post-processing system. */
    LiveSystem: {
      five_minutes: components["schemas"]["LiveSystemCounts"];
      ten_seconds: components["schemas"]["LiveSystemCounts"];
      today: components["schemas"]["LiveSystemCounts"];
      /** @description Deliveries that wait. */
      waiting_deliveries: number;
    };
    /**
     * @description The records that came to a post-processing system. `in` is the sum of `out` and `suspended`. It is also the sum of
     *     the edges that enter the system, except for records that a retry gives to it directly.
     */
    LiveSystemCounts: {
      /** @description Files that were made for the system. */
      files: number;
      /** @description Records that came to the system. */
      in: number;
      /** @description Records that were written to its files. */
      out: number;
      /** @description Records that could not be encoded. */
      suspended: number;
    };
    /** @description The threads that process files. */
    LiveThreads: {
      /** @description All threads. */
      all: number;
      /** @description The threads that process a file now. */
      working: number;
    };
    Login: {
      name: string;
      password: string;
    };
    /** @description The graph and the mistakes of a text. */
    Looked: components["schemas"]["Mistakes"] & {
      /** @description The graph. */
      graph: components["schemas"]["Graph"];
    };
    /** @description A new token. */
    MadeToken: {
      /**
       * Format: int64
       * @description The token's number.
       */
      id: number;
      /** @description The secret that the program sends. Only this answer contains it. */
      token: string;
      /** @description When the token expires. */
      until: string;
    };
    /** @description Vouchers that were made. */
    MadeVouchers: {
      /** @description The vouchers. */
      vouchers: components["schemas"]["NewVoucher"][];
    };
    MakeToken: {
      /** @description The days for which the token is valid. Default 90, at most 366. */
      days?: number | null;
      /** @description Up to 64 letters, digits, `.`, `-`, `_` and `@`. */
      name: string;
      /** @description The role. */
      role: components["schemas"]["Role"];
    };
    MakeVouchers: {
      /** @description What each is worth, in the currency of the plan: `100.00`. */
      amount: string;
      /** @description The number of the new batch. */
      batch: number;
      /** @description The reason. */
      because: string;
      /** @description How many vouchers it has, 100,000 at most. */
      count: number;
      /** @description When they expire: `2027-12-31T23:00:00Z`. */
      until: string;
    };
    /**
     * @description How a group ends: `release` combines its records as they are and passes the result on, `suspend`
     *     moves them to suspense, and `drop` gives them up and counts them as dropped.
     * @enum {string}
     */
    MatchingEnd: "release" | "suspend" | "drop";
    /** @description The result of a request to end groups. */
    MatchingEnded: {
      /** @description Groups that became complete before they were ended. */
      completed: number;
      /** @description Groups that were dropped. */
      dropped: number;
      /** @description The number of groups that the request was for. */
      groups: number;
      /** @description Whether more groups meet the conditions. One request ends the 10,000 oldest. */
      more: boolean;
      /** @description The problems that kept groups from being ended. */
      problems: string[];
      /**
       * Format: int64
       * @description The number of records in them.
       */
      records: number;
      /**
       * @description Groups that were to be released and are in suspense, because a node or system refused their
       *     output; the first 100, with the reason.
       */
      refused: components["schemas"]["RefusedGroup"][];
      /** @description Groups that were released. */
      released: number;
      /** @description Groups whose records are in suspense. */
      suspended: number;
      /** @description Groups that still wait. The gateway ends them as soon as it can. */
      waiting: number;
    };
    /** @description A group. */
    MatchingGroup: {
      /** @description The group, with its records. */
      group: components["schemas"]["WaitingGroup"];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
    };
    /** @description A page of groups. */
    MatchingGroups: {
      /** @description The groups, the oldest first. */
      groups: components["schemas"]["WaitingGroup"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more groups. */
      more: boolean;
    };
    /** @description A matching node in which groups wait. */
    MatchingNode: {
      /**
       * Format: int64
       * @description The number of groups that wait.
       */
      groups: number;
      /** @description The name of the node. */
      node: string;
      /** @description When the first record of the oldest group arrived. */
      since: string;
    };
    /** @description The groups that wait, counted. */
    MatchingNodes: {
      /** @description The nodes, by name. */
      nodes: components["schemas"]["MatchingNode"][];
    };
    /** @description An AVP of a message. */
    MessageAvp: {
      /** @description Its code. */
      code: number;
      /** @description What is in it, if it is a group. */
      members?: components["schemas"]["MessageAvp"][];
      /** @description Its name; empty if the dictionary does not have it. */
      name: string;
      /** @description Its value; empty for a group. */
      value?: string;
      /** @description Its vendor; 0 for those of the IETF. */
      vendor?: number;
    };
    /**
     * @description The form of a file of messages.
     * @enum {string}
     */
    MessageFile: "pcapng" | "xml";
    /** @description A trace of messages. */
    MessageTrace: {
      /** @description The reason. */
      because: string;
      /** @description The messages that came too fast to be looked at, some of which may be missing in the file. */
      dropped: number | null;
      /** @description When it ended; absent as long as it runs. */
      ended: string | null;
      /** @description Why it ended. */
      ended_because: string | null;
      /** @description The messages in the file; absent if its process was killed. */
      messages: number | null;
      /** @description The number whose sessions it has, if it has not all. */
      number: string | null;
      /** @description The octets of the file. */
      octets: number;
      /** @description The octets with which it ends. */
      octets_max: number;
      /** @description The one peer that it has. */
      peer: string | null;
      /** @description The one session that it has. */
      session: string | null;
      /** @description Since when. */
      since: string;
      /** @description Its number. */
      trace: number;
      /** @description When it ends at the latest. */
      until: string;
      /** @description Who started it. */
      who: string;
    };
    /** @description Messages. */
    Messages: {
      /** @description The file, in Base64. */
      file: string | null;
      /** @description The messages. */
      messages: components["schemas"]["PeerMessage"][];
      /** @description The name of this node. */
      node: string;
    };
    /** @description A mistake or a warning. */
    Mistake: {
      /** @description The column in characters, from 1. */
      column: number;
      /** @description The file in which it is. */
      file: string;
      /** @description A hint how to correct it, if there is one. */
      hint: string | null;
      /** @description The line, from 1. */
      line: number;
      /** @description The mistake, in words. */
      message: string;
      /** @description The network element, node or system that it concerns. Absent if this is unknown. */
      node: string | null;
      /** @description Whether it is a mistake or a warning. */
      severity: components["schemas"]["MistakeSeverity"];
      /** @description The whole message with the line of the file, as the command line shows it. */
      text: string;
    };
    /**
     * @description `error`: the text cannot be used. `warning`: the text can be used, and may not do what was
     *     meant.
     * @enum {string}
     */
    MistakeSeverity: "error" | "warning";
    /** @description The mistakes and warnings of a text. */
    Mistakes: {
      /** @description The mistakes and warnings; 200 at most. */
      diagnostics: components["schemas"]["Mistake"][];
      /** @description The number of those that are left out. Warnings are left out before mistakes. */
      diagnostics_left_out: number;
    };
    /** @description The text of a module. */
    Module: {
      /** @description The module's file, as the flow file names it. */
      file: string;
      /** @description The text. */
      text: string;
    };
    /** @description A time with its zone, `2026-11-21T14:05:00Z`, or the begin of a day in UTC, `2026-11-21`. */
    Moment: string;
    /** @description An amount that was moved. */
    Moved: {
      /** @description The account. */
      account: number;
      /** @description That balance after it. */
      balance: string;
      /** @description What a refill got as a bonus. */
      bonuses: components["schemas"]["GivenBonus"][];
      /** @description The balance that it changed; 0 for the main balance. */
      bucket: number;
      /** @description The currency of money. */
      currency: string;
      /** @description The number of the entry. */
      entry: number;
      /** @description Whether the same operation came before: nothing was changed now. */
      repeated: boolean;
      /** @description What that balance counts. */
      unit: components["schemas"]["AmountUnit"];
    };
    /** @description The terms of a new balance. */
    NewBalance: {
      /** @description The tariff classes that it pays for besides: those that `charging.toml` names. */
      classes?: string[];
      /** @description Balances with a smaller number are used first; the main balance is the last. 100 by default. */
      priority?: number | null;
      /** @description The services that it pays for. Without services and classes, it pays for all. */
      services?: string[];
      /** @description What it counts; money by default. */
      unit?: components["schemas"]["AmountUnit"];
      /** @description Until when it may be used: `2026-12-31T23:59:59Z`. Without, for ever. */
      until?: string | null;
    };
    /** @description A subscriber and the amount that the account begins with. */
    NewSubscriber: {
      /** @description The amount in the currency of the plan; `0` for none. */
      amount: string;
      /** @description The line of the file that the subscriber is from, which a mistake names. */
      line?: number | null;
      /** @description The number. */
      number: string;
      /** @description The type of subscriber, as the plans name it; empty for that of the number. */
      subscriber_type?: string;
    };
    /** @description A voucher to be printed. */
    NewVoucher: {
      /** @description Its secret digits. */
      pin: string;
      /** @description Its serial number. */
      serial: number;
    };
    /** @description A network element, a node, or a post-processing system. */
    Node: {
      /** @description The streams that it takes. */
      from: components["schemas"]["From"][];
      /** @description The kind: `network-element`, `filter`, …, `post-processing-system`. */
      kind: string;
      /** @description The line of its table in the flow file, from 1. */
      line: number;
      /** @description The name. */
      name: string;
      /** @description The script, as the flow file names it, if it has one. */
      script: string | null;
      /** @description The other keys of its table, each with its value. */
      settings: {
        [key: string]: unknown;
      };
      /** @description The names of the streams that leave it. The name is empty if there is only one. */
      streams: string[];
      /** @description The name of its table in the flow file: `filter.isRoaming`. */
      table: string;
    };
    /**
     * @description What has happened to an account.
     * @enum {string}
     */
    NoticeKind:
      | "low"
      | "grace"
      | "suspended"
      | "closed"
      | "bundle-unpaid"
      | "fee-unpaid"
      | "limit-near"
      | "limit-reached"
      | "balance-ending"
      | "account-ending";
    /** @description Notices that wait to be sent. */
    NoticesWaiting: {
      /** @description Why this process does not send them at the moment. */
      failing: string | null;
      /** @description How many. */
      waiting: number;
    };
    OpenAccount: {
      /** @description How far the main balance may be overdrawn. Prepaid accounts have none. */
      credit_limit?: string | null;
      /** @description The numbers that it pays for, at least one. */
      numbers: string[];
      standing?: components["schemas"]["AccountStanding"] | null;
    };
    /** @description A call or connection in progress, or one that has just ended. */
    OpenSession: {
      /** @description The account that pays. */
      account: number;
      /** @description The number that is called; empty without one. */
      called: string;
      /** @description The client of the charging system that began it. */
      client: string;
      /** @description Whether it has ended. Its requests may come again for a while. */
      ended: boolean;
      /** @description What was granted last: `60 seconds`. */
      granted: string;
      /** @description The number that pays. */
      number: string;
      /** @description The money that it has paid. */
      paid: string;
      /** @description The money that is reserved for it. */
      reserved: string;
      /** @description The services. */
      services: string[];
      /** @description Its key: 32 hexadecimal digits. */
      session: string;
      /** @description When it began. */
      start: string;
      /** @description Whether its grants are no longer valid, and the network has reported nothing since. */
      stuck: boolean;
      /** @description When it is over if nothing more comes; for an ended one, when it is forgotten. */
      until: string;
      /** @description What was used and charged so far: `120 seconds`. */
      used: string;
      /** @description Until when its grants are valid: the network reports what was used by then. */
      valid_until: string;
    };
    Passwords: {
      /** @description The new password: 12 characters at least, 1024 octets at most, and hard to guess. */
      new: string;
      /** @description The current password. */
      old: string;
    };
    /** @description An alarm about a peer. */
    PeerAlarm: {
      /** @description What sort of thing is wrong. */
      kind: components["schemas"]["PeerAlarmKind"];
      /** @description The name of the peer's node. */
      peer: string;
      /** @description Since when it is raised. */
      since: string;
      /** @description What is wrong, in words. */
      text: string;
    };
    /**
     * @description What is wrong with a peer.
     * @enum {string}
     */
    PeerAlarmKind: "peer-down" | "peer-missing" | "no-traffic" | "error-rate" | "orphan-usage";
    /** @description A connection of a peer. */
    PeerConnection: {
      /** @description Its address. */
      address: string;
      /** @description The requests that have no answer yet. */
      in_flight: number;
      /** @description The time between the last question of the watchdog and its answer, in microseconds. */
      round_trip_us: number | null;
      /** @description Since when. */
      since: string;
      /** @description Whether it does not answer the watchdog. */
      suspect: boolean;
      /** @description How it is connected: `tcp`, `tls` or `sctp`. */
      transport: string;
    };
    /** @description The peers of Diameter. */
    PeerList: {
      /** @description The alarms about peers that are raised. */
      alarms: components["schemas"]["PeerAlarm"][];
      /** @description Those that are or were connected since the start, in the order of their names. */
      peers: components["schemas"]["ConnectedPeer"][];
      /** @description The profiles that a peer may have. */
      profiles: string[];
      /** @description Those that were refused, the last one first; 100 at most. */
      refused: components["schemas"]["RefusedPeer"][];
      /** @description Whether a system with `[diameter]` runs. */
      served: boolean;
    };
    /** @description A message between a peer and this node. */
    PeerMessage: {
      /** @description The address of the peer. */
      address: string;
      /** @description When, to the microsecond. */
      at: string;
      /** @description Its AVPs. */
      avps: components["schemas"]["MessageAvp"][];
      /** @description The command: `CCR`, `CCA`. */
      command: string;
      /** @description The identifier that a request and its answer share on the connection. */
      hop_by_hop: number;
      /** @description How many octets it has. */
      octets: number;
      /** @description The name of the peer's node. */
      peer: string;
      /** @description The Result-Code of an answer. */
      result: number | null;
      /** @description Whether this node sent it. */
      sent: boolean;
      /** @description The Session-Id; absent for messages of no session. */
      session: string | null;
      /** @description What it says, in short. */
      summary: string;
    };
    /** @description How often a result was answered. */
    PeerResult: {
      /** @description The Result-Code; 0 for all that are rare. */
      code: number;
      /** @description How often. */
      count: number;
    };
    /** @description The users. */
    People: {
      /** @description The users, by name. */
      people: components["schemas"]["Person"][];
    };
    /** @description A period. */
    Period: {
      from: components["schemas"]["Moment"] | null;
      to: components["schemas"]["Moment"] | null;
    };
    /** @description A user. */
    Person: {
      /** @description Whether the user has not set a password yet. */
      invited: boolean;
      /** @description The last login. Absent if there was none. */
      last_login: string | null;
      /** @description The name. */
      name: string;
      /** @description The role. */
      role: components["schemas"]["Role"];
      /** @description The number of open sessions; 10 at most. One more ends the session that was idle for the longest time. */
      sessions: number;
      /** @description When the user was added. */
      since: string;
    };
    /** @description A prepaid account. */
    PrepaidAccount: {
      /** @description Its number. */
      account: number;
      /** @description Until when it is active, if that ends; grace follows. */
      active_until: string | null;
      /** @description What it has, in the order of use. */
      balances: components["schemas"]["AccountBalance"][];
      /** @description The services that it pays nothing for. */
      barred: string[];
      /** @description The tariff classes that it pays nothing for. */
      barred_classes: string[];
      /** @description How far the main balance may be overdrawn; `0.00` for prepaid accounts. */
      credit_limit: string;
      /** @description The currency of its money: `SEK`. */
      currency: string;
      /** @description The number of its last entry. */
      entries: number;
      /** @description The end of grace; the account is suspended then. */
      grace_until: string | null;
      /** @description What it has spent this month on services with a limit. */
      limits: components["schemas"]["AccountLimit"][];
      /** @description The numbers of the subscriber, or subscribers, that it pays for. */
      numbers: string[];
      /** @description Its calls and connections in progress. */
      sessions: components["schemas"]["OpenSession"][];
      /** @description Who may use it. */
      standing: components["schemas"]["AccountStanding"];
      /** @description The type of its subscriber, as the plans name it. None for that of the number. */
      subscriber_type: string | null;
      /** @description What it pays in each period: bundles that renew, and fees. */
      subscriptions: components["schemas"]["AccountSubscription"][];
      /** @description When it is closed if nothing is refilled; what is left expires then. */
      suspended_until: string | null;
    };
    /** @description What a usage would cost, and how much of the service an account pays for. */
    PriceEnquiry: {
      /** @description The account. */
      account: number;
      /** @description How much of the service the account pays for now. */
      affordable: number;
      /** @description The unit of this. */
      affordable_unit: components["schemas"]["AmountUnit"];
      /** @description How it would be charged, with the steps to the price. */
      charged: components["schemas"]["ChargedUsage"];
      /** @description The currency. */
      currency: string;
      /** @description Whether the service costs no money. */
      free: boolean;
      /** @description What it would cost in money, with tax. Balances of its unit pay the rest. */
      price: string;
      refused: components["schemas"]["RefusedLeg"] | null;
    };
    /** @description A step to a price. */
    PriceStep: {
      /** @description The file of the plan that the result is from. */
      file: string | null;
      /** @description Its result, in words. */
      found: string;
      /** @description The line in this file, from 1. */
      line: number | null;
      /** @description The name of the step: `number analysis`. */
      step: string;
    };
    /** @description The body of every refusal. */
    Problem: {
      /** @description The kind of error, for programs. */
      code: string;
      /** @description What went wrong, and what to do about it. */
      error: string;
    };
    /** @description A proposal to activate a version. Another user activates it. */
    Proposal: {
      /** @description When the version was proposed. */
      at: string;
      /** @description The reason. */
      because: string;
      /** @description The user or token. */
      who: string;
    };
    PutFraudRuleFile: {
      /**
       * @description The digest of the text that the edit began with; absent for a new file. The request is refused if the file has another text by
       *     now.
       */
      based_on?: string | null;
      /** @description A remark about the change, for the version and the audit trail. It must not be empty. */
      remark: string;
      /** @description The new text. */
      text: string;
    };
    PutScript: {
      /** @description The digest of the text that the edit began with. The request is refused if the script has another text by now. */
      based_on?: string | null;
      /** @description A remark about the change, for the version and the audit trail. It must not be empty. */
      remark: string;
      /** @description The edited text. */
      text: string;
    };
    PutTariffTable: {
      /** @description The digest of the text that the edit began with. The request is refused if the table has another text by now. */
      based_on?: string | null;
      /** @description A remark about the change, for the version and the audit trail. It must not be empty. */
      remark: string;
      /** @description The new text. */
      text: string;
    };
    /** @description A value in a reason. */
    ReasonValue: {
      /** @description Its name. */
      name: string;
      /** @description The value. */
      value: string;
    };
    /**
     * @description Whether the receiver gets the record only before the change, only after it, or with other content.
     * @enum {string}
     */
    ReceiverChange: "only-before" | "only-after" | "changed";
    /** @description The numbers of records for a receiver. */
    ReceiverTotals: {
      /** @description Records that it would get. */
      after: number;
      /** @description Records that it got. */
      before: number;
      /** @description Records that it would get with other content. */
      changed: number;
      /** @description Records that it would get in addition. */
      only_after: number;
      /** @description Records that it would no longer get. */
      only_before: number;
    };
    /** @description The place at which decoding a record failed. */
    RecordDamage: {
      /** @description The offset in the record. */
      offset: number;
      /** @description The error. */
      reason: string;
    };
    /** @description A component of a structure, or an alternative of a choice. */
    RecordField: {
      /** @description Its name. */
      name: string;
      /** @description Whether it may be absent. */
      optional: boolean;
      /** @description Its type, as an index in `types`. Absent if there are too many types. */
      type: number | null;
    };
    /** @description The filter of records. A record has to meet all given conditions. */
    RecordFilter: {
      /** @description Only records whose error has this code. */
      code?: string | null;
      /** @description Only records of files with this name. */
      file?: string | null;
      from?: components["schemas"]["Moment"] | null;
      /** @description Only records of this network element. */
      network_element?: string | null;
      /** @description Only records that this node or system refused; empty for records that could not be decoded. */
      node?: string | null;
      /** @description Only records whose error contains this text. Needs the role that sees subscriber data. */
      reason?: string | null;
      /** @description Only so many records, the oldest. */
      records_max?: number | null;
      state?: components["schemas"]["StateFilter"] | null;
      /** @description Only records with this error, whatever its values: the `template` of a group of records. */
      template?: string | null;
      to?: components["schemas"]["Moment"] | null;
      /**
       * Format: int64
       * @description Only records with this number or a smaller one. It excludes records that arrived after a list was shown.
       */
      up_to?: number | null;
      /** @description Only records with this value in their error. Needs the role that sees subscriber data. */
      value?: string | null;
      why?: components["schemas"]["SuspenseReason"] | null;
    };
    /** @description A record of usage that was rated elsewhere, and where it came from. */
    RecordOrigin: {
      /** @description The file. */
      file: string;
      /** @description Its line in the file, from 1. */
      line: number;
      /** @description The number that paid. */
      number: string;
      /** @description The number that was called; empty without one. */
      other?: string;
      /** @description The service; empty if the record does not say it. */
      service?: string;
      /** @description When the usage began. */
      start: string;
    };
    /** @description A value of a record. Offsets are counted from the record's first octet. */
    RecordPart: {
      /** @description The size of the value itself in octets. */
      content_length: number;
      /** @description The offset of the value itself, without tag and length. */
      content_offset: number;
      /** @description Why the value does not fit its type. Absent if it does. */
      fault: string | null;
      /** @description Whether the value is cut off. 256 octets are shown. */
      is_cut: boolean;
      /** @description The size of the part in octets, with tag and length. */
      length: number;
      /** @description The name of the field. `[0]` is the first element of a list; `?` is a field that the module does not know. */
      name: string;
      /** @description The offset of the part. */
      offset: number;
      /** @description The parts within this one. */
      parts: components["schemas"]["RecordPart"][];
      /** @description The tag, in encodings that have tags. */
      tag: string | null;
      /** @description The type; empty if it is unknown. */
      type: string;
      /** @description The value as text. Absent if the part has parts. */
      value: string | null;
    };
    /** @description The type of a record, or of a part of one. */
    RecordType: {
      /** @description The components of a structure, or the alternatives of a choice. */
      fields?: components["schemas"]["RecordField"][];
      /** @description The form of its values in JSON. */
      kind: components["schemas"]["RecordTypeKind"];
      /** @description The name of the type, for display. */
      name: string;
      /** @description The type of a list's elements, as an index in `types`. Absent for other kinds, or if there are too many types. */
      of?: number;
      /** @description The values of an enumeration. */
      words?: string[];
    };
    /**
     * @description The form of the values in JSON. `octets`: text in hexadecimal. `bits`: an object with the bits and their number.
     *     `digits`: telephone digits. `packed-digits`: telephone digits in hexadecimal, the first digit of an octet in its lower
     *     half.
     * @enum {string}
     */
    RecordTypeKind:
      | "boolean"
      | "integer"
      | "enumerated"
      | "real"
      | "null"
      | "octets"
      | "bits"
      | "digits"
      | "packed-digits"
      | "text"
      | "structure"
      | "choice"
      | "list"
      | "other";
    /** @description A page of records in suspense. */
    Records: {
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more records. */
      more: boolean;
      /** @description The records, the newest first. */
      records: components["schemas"]["SuspendedRecord"][];
    };
    /**
     * @description Which records are first.
     * @enum {string}
     */
    RecordsOrder: "newest" | "oldest";
    RefillAccount: {
      /** @description The amount in the currency of the account: `100.00`. */
      amount: string;
      /** @description The remark for the statement. */
      because?: string;
      /** @description The reference of the payment. */
      reference: string;
    };
    /** @description Refusals of a code. */
    RefusalCount: {
      /** @description The code: `no-money`. */
      code: string;
      /** @description How many there were. */
      count: number;
    };
    RefuseActions: {
      /** @description The numbers of the actions. */
      actions: number[];
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    /** @description An input file that is refused as a whole. */
    RefusedFile: {
      /** @description The code of the reason. Empty if it comes from a version without codes. */
      code: string;
      /** @description Its name, without a folder. Empty if the reason is about all files of the remote place. */
      file: string;
      /**
       * Format: int64
       * @description Its number in this list.
       */
      id: number;
      /** @description Whether a file that was set aside is still there under this name. True for other files. */
      is_there: boolean;
      /** @description How it is refused. */
      kind: components["schemas"]["RefusedFileKind"];
      /** @description The network element where it was collected. Empty if it was set aside by a version that did not note it. */
      network_element: string;
      /**
       * @description The path of a file that was set aside; a relative one begins at the folder of the flow file. Otherwise the name of
       *     the file in its remote place.
       */
      path: string;
      /** @description Why it is refused. */
      reason: string;
      /** @description Since when it is refused. */
      since: string;
      /** @description The values in the reason. */
      values: components["schemas"]["ReasonValue"][];
    };
    /**
     * @description How a file is refused.
     * @enum {string}
     */
    RefusedFileKind: "set-aside" | "not-fetched" | "not-removed";
    /** @description A page of files that are refused. */
    RefusedFiles: {
      /** @description The files, the newest first. */
      files: components["schemas"]["RefusedFile"][];
      /** @description Whether there are more files. */
      more: boolean;
    };
    /** @description A group that a user asked to end, and what became of it. */
    RefusedGroup: {
      /**
       * Format: int64
       * @description The group's number.
       */
      id: number;
      /** @description The key that the group's records share. */
      key: string;
      /** @description The matching node. */
      node: string;
      /** @description Why the group's output was refused, if the group was set aside. */
      reason: string | null;
      /**
       * Format: int64
       * @description The number of records.
       */
      records: number;
      /** @description The node or system that refused the output. */
      refused_by: string | null;
      release: components["schemas"]["GroupRelease"] | null;
    };
    /** @description Why nothing is granted for a leg. */
    RefusedLeg: {
      /** @description The code: `no-money`, `barred`. */
      code: string;
      /** @description The reason. */
      text: string;
    };
    /** @description A peer that was refused. */
    RefusedPeer: {
      /** @description Its address. */
      address: string;
      /** @description When it tried the last time. */
      at: string;
      /** @description How often it was refused. */
      attempts: number;
      /** @description The name of its node. */
      host: string;
      /** @description The name of its program. */
      product: string;
      /** @description Its realm. */
      realm: string;
      /** @description Whether no table of `[diameter.peers]` lets it in. */
      unknown: boolean;
      /** @description Why it was refused the last time. */
      why: string;
    };
    RejectProposal: {
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
    };
    RejectRequest: {
      /** @description The reason. */
      because: string;
    };
    /** @description A proposal that was rejected. */
    RejectedProposal: {
      /** @description The user or token who made it. */
      proposed_by: string;
    };
    /** @description Who moved an amount, and why. */
    Remark: {
      /** @description The accounts of a transfer: the sender and the receiver. */
      accounts?: number[];
      /** @description The reason that the user gave. */
      because?: string;
      /** @description What was done: `refill`, `adjustment`, `transfer`, `fee`, `record`. */
      kind: string;
      record: components["schemas"]["RecordOrigin"] | null;
      /** @description The reference of a payment. */
      reference?: string;
      /** @description The entry that this one reverses. */
      reverses: number | null;
      voucher: components["schemas"]["VoucherOrigin"] | null;
      /** @description The user, token or client. */
      who?: string;
    };
    RemarkFraudCase: {
      /** @description The remark. */
      remark: string;
    };
    RemoveFromFraudList: {
      /** @description Why, for the audit trail. It must not be empty. */
      because: string;
      /** @description The key, as the list has it. */
      key: string;
      /** @description The fraud node, if several have lists of their own. */
      node?: string | null;
    };
    RemoveNumber: {
      /** @description The reason. */
      because: string;
    };
    RemoveTrace: {
      /** @description The reason. */
      because: string;
    };
    /** @description A node that would be removed. */
    RemovedNode: {
      /** @description Its name. */
      node: string;
      /** @description The open records in suspense that would have no node to be retried at. */
      suspended_records: number;
      /** @description The groups of records that wait in the node. */
      waiting_groups: number;
    };
    /** @description A receiver that would be removed. */
    RemovedReceiver: {
      /** @description Its name. */
      post_processing_system: string;
      /** @description The open records in suspense that could not be written for it. */
      suspended_records: number;
      /** @description The files that are not delivered to it yet. */
      undelivered_files: number;
    };
    ReopenFraudCase: {
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    ReopenRecords: {
      /** @description `true` for all records. Required if there are neither `ids` nor conditions. */
      all?: boolean;
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      filter?: components["schemas"]["RecordFilter"] | null;
      /** @description The numbers of the records. */
      ids?: number[] | null;
    };
    /** @description The result of reopening records. */
    Reopened: {
      /** @description The number of records that are open again. */
      records: number;
    };
    /** @description A replay that runs or has ended. */
    Replay: components["schemas"]["ReplayScope"] & {
      /** @description When it was started. */
      began: string;
      /** @description The user who cancelled it. */
      cancelled_by: string | null;
      /** @description When it ended. Absent while it runs. */
      ended: string | null;
      /** @description The number of files that it replays. */
      files: number;
      /** @description The number of files that are compared already. */
      files_done: number;
      /** @description Files of the period that no longer exist. */
      files_gone: number;
      /** @description Files of the period that were left out, because there are too many or they are too large. */
      files_left_out: number;
      /** @description The number of the replay since the start of the gateway, from 1. */
      id: number;
      /** @description The size of these files in octets, as they arrived. */
      octets: number;
      /** @description Why it failed. Absent unless the state is `failed`. */
      problem: string | null;
      report: components["schemas"]["ReplayReport"] | null;
      /** @description The state. */
      state: components["schemas"]["ReplayProgress"];
      /** @description The user who started it. */
      who: string;
    };
    /** @description A key about which there is an alert only before the change, or only after it. */
    ReplayAlertDifference: {
      /** @description The time of the first alert. */
      at: string;
      /** @description Whether there is an alert only before the change, or only after it. */
      change: components["schemas"]["ReceiverChange"];
      /** @description Its condition, each name with its value. */
      condition: string;
      /** @description What people have decided about the key: `fraud`, `not-fraud` or `unsure`. */
      decision: string | null;
      /** @description The file of its record. */
      file: string | null;
      /** @description Which one it is. */
      key: string;
      /** @description The node. */
      node: string;
      /**
       * Format: int64
       * @description The number of the record in the file.
       */
      record: number;
      /** @description The rule. */
      rule: string;
      /** @description The points that it has. */
      score: number;
      /** @description What the rule is about, such as `caller`. */
      subject: string;
    };
    /** @description The number of records with one outcome, before and after the change. */
    ReplayCount: {
      after: number;
      before: number;
      /** @description Which records. */
      what: components["schemas"]["ReplayCountedRecords"];
    };
    /**
     * @description Which records a count is of: all, or those with this outcome. They are shown in this order.
     * @enum {string}
     */
    ReplayCountedRecords: "records" | "delivered" | "filtered" | "held" | "suspended" | "duplicate";
    /** @description The difference for one receiver. */
    ReplayDifference: {
      /** @description The kind of change. */
      change: components["schemas"]["ReceiverChange"];
      /** @description The fields that differ. Empty if only the encoding of the record differs. */
      fields: components["schemas"]["ReplayField"][];
      /** @description The receiver. */
      post_processing_system: string;
    };
    /** @description A draft of a file of the flow. */
    ReplayDraft: {
      /** @description The name of the file, as the flow names it. */
      name: string;
      /** @description The edited text. */
      text: string;
    };
    /** @description A record or group with a different result. */
    ReplayExample: {
      after: components["schemas"]["ReplayOutcome"] | null;
      before: components["schemas"]["ReplayOutcome"] | null;
      /** @description The file that the record came in; for a group, its node. */
      file: string;
      /** @description The key of the group. Absent for a record. */
      key: string | null;
      /** @description The network element that its file was collected from. */
      network_element: string;
      /** @description The offset of the record's first octet in the file. */
      offset: number;
      /** @description The receivers that would get something else. */
      receivers: components["schemas"]["ReplayDifference"][];
      /** @description The record's number in the file, from 1. */
      record: number;
    };
    /** @description A field that differs. The values are in JSON; absent if the record does not have the field. */
    ReplayField: {
      /** @description Its value after the change. */
      after: string | null;
      /** @description Its value before the change. */
      before: string | null;
      /** @description The path of the field: `services.0.code`. */
      field: string;
    };
    /** @description A file with a difference. */
    ReplayFileDiffering: {
      /** @description The number of its records with a different result. */
      differing: number;
      /** @description The name of the file. */
      file: string;
      network_element: string;
    };
    /** @description The outcome of a record. */
    ReplayOutcome: {
      /** @description The node or system that set the record aside, or in which it waits. Empty if it could not be decoded. */
      at: string | null;
      /** @description Why the record was set aside. */
      reason: string | null;
      /** @description What became of the record. */
      what: components["schemas"]["ReplayOutcomeKind"];
    };
    /**
     * @description What became of a record or group.
     * @enum {string}
     */
    ReplayOutcomeKind: "delivered" | "filtered" | "held" | "suspended" | "duplicate";
    /**
     * @description The state of a replay: `done` if it ended with a result.
     * @enum {string}
     */
    ReplayProgress: "running" | "done" | "cancelled" | "failed";
    /** @description The number of records that a receiver gets, before and after the change. */
    ReplayReceiver: components["schemas"]["ReceiverTotals"] & {
      post_processing_system: string;
    };
    /** @description The differences between the flow as it is (before) and with the change (after). */
    ReplayReport: {
      /** @description On how many days there are alerts, by UTC. */
      alert_days: number;
      /** @description Keys about which there are alerts only before the change, or only after it; the first 200. */
      alert_keys: components["schemas"]["ReplayAlertDifference"][];
      /** @description The alerts of rules. */
      alerts: components["schemas"]["ReplayRuleAlerts"][];
      /** @description The records by outcome. */
      counts: components["schemas"]["ReplayCount"][];
      /** @description The number of records with a different result. */
      differing: number;
      /** @description Whether there is any difference. */
      differs: boolean;
      /** @description Examples of records with a different result: 100 at most, and 5 at most with the same kind of difference. */
      examples: components["schemas"]["ReplayExample"][];
      /** @description The number of files that were compared. */
      files: number;
      /** @description The number of files with a difference. */
      files_differing: number;
      /** @description The files with a difference; the first 200. */
      files_named: components["schemas"]["ReplayFileDiffering"][];
      /** @description The number of groups that expired with a different result. */
      groups_differing: number;
      /** @description The receivers whose files would begin differently, for example with other column names. */
      headers: string[];
      /** @description The records by receiver. */
      receivers: components["schemas"]["ReplayReceiver"][];
      /** @description The sums of the values that the flow audits. */
      sums: components["schemas"]["ReplaySum"][];
    };
    /** @description The alerts of a rule, before and after the change. */
    ReplayRuleAlerts: {
      /** @description Its alerts after it. */
      after: number;
      /** @description Its alerts before the change. */
      before: number;
      /** @description How many of the keys that it finds after it were. */
      fraud_after: number;
      /** @description How many of the keys that it finds before the change were decided to be fraud. */
      fraud_before: number;
      /** @description The node. */
      node: string;
      /** @description How many of the keys that it finds after it were. */
      not_fraud_after: number;
      /** @description How many of the keys that it finds before the change were decided to be no fraud. */
      not_fraud_before: number;
      /** @description How many keys have an alert only after it. */
      only_after: number;
      /** @description How many keys have an alert only before it. */
      only_before: number;
      /** @description The rule. */
      rule: string;
    };
    /** @description The change that a replay tries, and the files that it tries it on. */
    ReplayScope: components["schemas"]["Period"] & {
      /** @description The names of the files with drafts. The name of the flow file is empty. */
      drafts: string[];
      /** @description The maximum number of files. */
      files_most: number;
      /** @description The network elements whose files are used; all if the list is empty. */
      network_elements: string[];
      /**
       * Format: int64
       * @description The version. Absent if drafts are tried.
       */
      version: number | null;
    };
    /** @description The running replay, or the last one. */
    ReplayState: {
      /** @description The maximum number of files of a replay. */
      files_max: number;
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      replay: components["schemas"]["Replay"] | null;
    };
    /** @description A sum before and after the change. The values are texts, because a JSON number could lose digits. */
    ReplaySum: {
      after: string;
      before: string;
      /** @description The place, the side and the name of the value: `billing written seconds`. */
      of: string;
    };
    /**
     * @description What a report has a row for.
     * @enum {string}
     */
    ReportBy: "day" | "hour" | "rule" | "element" | "type";
    /** @description A row of a report. */
    ReportRow: {
      /**
       * Format: int64
       * @description The actions of rules that were carried out. Absent by network element.
       */
      actions: number | null;
      /**
       * Format: int64
       * @description The alerts, without those of rules that are tried out.
       */
      alerts: number;
      /**
       * Format: int64
       * @description The cases that were opened. One with alerts of several rules, network elements or types counts for each.
       */
      cases: number;
      /**
       * Format: int64
       * @description The cases that were decided, and are fraud.
       */
      fraud: number;
      /**
       * Format: int64
       * @description How many of these came too late for the rules. Absent by rule and by type.
       */
      late: number | null;
      /** @description The node of a rule. Absent in other reports. */
      node: string | null;
      /**
       * Format: int64
       * @description The cases that were decided, and are no fraud.
       */
      not_fraud: number;
      /**
       * @description What it is about: a day such as `2026-11-26`, an hour such as `2026-11-26T14:00:00Z`, the name of a rule or of a network element, or
       *     a type of fraud. Empty for rules without a type.
       */
      of: string;
      /**
       * Format: int64
       * @description The points of the alerts.
       */
      points: number;
      /**
       * Format: int64
       * @description How many records were judged. Absent by rule and by type.
       */
      records: number | null;
      /**
       * Format: int64
       * @description The alerts of rules that are tried out.
       */
      shadow: number;
      /**
       * Format: int64
       * @description The cases that were decided, and cannot be known.
       */
      unsure: number;
    };
    RequestAction: {
      /** @description The name of the action. */
      action: string;
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    /** @description Requests of a kind. */
    RequestCount: {
      /** @description How many there were. */
      count: number;
      /** @description `first`, `next` or `final`; or `debit`, `refund`, `balance-check`, `price-enquiry` or `spend-consent`. */
      kind: string;
      /**
       * Format: double
       * @description How many there were a second, in the last minute.
       */
      per_second: number;
    };
    /** @description An action that was requested. */
    RequestedAction: {
      /** @description The name of the action. */
      action: string;
      /** @description Who has approved it. */
      approved_by: string[];
      /** @description Why: the condition of the rule, or what the person says. */
      because: string;
      /** @description When the other side had it, or when it was undone. */
      done: string | null;
      /**
       * Format: int64
       * @description Its number.
       */
      id: number;
      /** @description Which one it is. */
      key: string;
      /** @description The node. */
      node: string;
      /** @description Why the last attempt failed, or why it is held or refused. */
      problem: string | null;
      /** @description When it was requested. */
      requested: string;
      /** @description Who requested it. Absent for a rule. */
      requested_by: string | null;
      /** @description The rule. Absent if a person requested it. */
      rule: string | null;
      /** @description The version of the rule. */
      rule_version: string | null;
      /** @description Whether people must approve the version of the rule first. Absent otherwise. */
      rule_waits?: boolean;
      /** @description How far it is. */
      state: components["schemas"]["ActionState"];
      /** @description What it is about, such as `caller`. */
      subject: string;
      /** @description How often it was sent. */
      tries: number;
    };
    /** @description A request for the counters of a node that waits. */
    RequestedCountersChange: {
      /** @description The reason that the user gave. */
      because: string;
      /** @description What the gateway does with them. */
      deed: components["schemas"]["CountersAction"];
      /** @description The target node of a move. */
      to: string | null;
      /** @description The user or token. */
      who: string;
    };
    RestoreChargingVersion: {
      /** @description The reason. */
      because: string;
      /** @description The one file that is put back, as the list of versions names it. Without it, all are. */
      file?: string | null;
    };
    /** @description A version whose files are back. */
    RestoredChargingVersion: {
      /** @description The files that were changed or removed; none if they were those of the version already. */
      changed: string[];
    };
    ResumeActions: {
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    /** @description The result of a retry. */
    RetriedDeliveries: {
      /** @description The number of files that are delivered again. */
      files: number;
    };
    /** @description The result of a retry. */
    RetriedRecords: {
      /**
       * @description The number of records in suspense that were requested, with the other open records of their
       *     groups.
       */
      asked: number;
      /**
       * @description The numbers of the records that were not retried, because their octets are damaged in the
       *     journal.
       */
      damaged: number[];
      /** @description Records delivered to a post-processing system. */
      delivered: number;
      /** @description Records that are duplicates and were set aside as such. */
      duplicate: number;
      /** @description Records that no node or system took. */
      filtered: number;
      /** @description Records that wait in a matching node. */
      held: number;
      /** @description Duplicates that were not retried, because the request did not include duplicates. */
      left: number;
      /** @description The reasons of the records that are in suspense again. */
      reasons: components["schemas"]["AlikeRecords"][];
      /**
       * @description The number of records that were processed. It is greater than that of the retried entries if
       *     undecodable octets turned out to be several records.
       */
      records: number;
      /** @description Records that are in suspense again. */
      suspended: number;
      /** @description Requested records whose retry was cancelled meanwhile. */
      taken_back: number;
      /** @description Requested records that the gateway has not retried yet. */
      waiting: number;
    };
    RetryDeliveries: {
      /** @description `true` for all deliveries that were given up, if neither `ids` nor `post_processing_system` is given. */
      all?: boolean;
      /** @description Only deliveries with these numbers. Deliveries that were not given up are left out. */
      ids?: number[];
      /** @description Only deliveries to this receiver. */
      post_processing_system?: string | null;
    };
    /**
     * @description The outcome of a retry of a record.
     * @enum {string}
     */
    RetryOutcome: "delivered" | "filtered" | "held" | "divided" | "suspended" | "duplicate";
    RetryRecords: {
      /** @description `true` for all records. Required if there are neither `ids` nor conditions. */
      all?: boolean;
      /** @description Whether to retry duplicates too. */
      duplicates?: boolean;
      filter?: components["schemas"]["RecordFilter"] | null;
      /** @description The numbers of the records. */
      ids?: number[] | null;
    };
    ReverseEntry: {
      /** @description The reason. */
      because: string;
    };
    /**
     * @description The role of a user or token: `viewer` may read, `operator` may also operate the gateway and change its flow, and
     *     `administrator` may also manage users and tokens.
     * @enum {string}
     */
    Role: "viewer" | "operator" | "administrator";
    /** @description That a person has approved a version of a rule. */
    RuleApproval: {
      /** @description When. */
      at: string;
      /** @description Why. */
      because: string;
      /** @description Who. */
      who: string;
    };
    /**
     * @description How far a version of a rule is, after an approval.
     * @enum {string}
     */
    RuleApproved: "one" | "all";
    /** @description What became of the alerts of a rule. */
    RuleFigures: {
      /**
       * Format: int64
       * @description Its alerts.
       */
      alerts: number;
      /**
       * Format: int64
       * @description The cases with one of its alerts.
       */
      cases: number;
      /**
       * Format: int64
       * @description Those that are fraud.
       */
      fraud: number;
      /** @description The node. */
      node: string;
      /**
       * Format: int64
       * @description Those that are none.
       */
      not_fraud: number;
      /**
       * Format: int64
       * @description Those that are to be decided.
       */
      open: number;
      /**
       * Format: int64
       * @description Of a hundred decided cases that are known to be fraud or none, how many are. Absent without any.
       */
      precision_percent: number | null;
      /** @description The rule. */
      rule: string;
      running: components["schemas"]["RunningRule"] | null;
      /**
       * Format: int64
       * @description The median time from the opening of a case to its decision, in seconds. Absent without a decision.
       */
      seconds_to_decide: number | null;
      /**
       * Format: int64
       * @description Its alerts while it was only tried out.
       */
      shadow: number;
      /**
       * Format: int64
       * @description Those of which it cannot be known.
       */
      unsure: number;
    };
    RunSamples: {
      /** @description The source of the records. */
      from: components["schemas"]["TakenFrom"];
      /** @description The node whose records are used. It must run the script. */
      node: string;
      /** @description The edited text. */
      text: string;
    };
    /** @description What a rule is now. */
    RunningRule: {
      /** @description The actions that it requests. */
      actions: string[];
      /** @description Who has approved this version. */
      approvals: components["schemas"]["RuleApproval"][];
      /** @description How many people must approve this version before it acts. */
      approvals_needed: number;
      /** @description Why it is there. */
      because: string | null;
      /** @description The type of fraud that it finds, if it says one. */
      fraud_type: string | null;
      /** @description Who answers for it. */
      owner: string | null;
      /** @description Whether it is only tried out. Absent otherwise. */
      shadow?: boolean;
      /** @description What it is about, such as `caller`. */
      subject: string;
      /** @description What it finds. */
      title: string | null;
      /** @description When it is to be looked at again. */
      until: string | null;
      /** @description A digest of its file, and of its table of limits. */
      version: string;
    };
    /** @description A record that comes to the node, and its results. */
    SampleRecord: {
      /** @description The record as it comes to the node, in JSON; empty if it cannot be shown. */
      came: string;
      /** @description The result of the edited script. */
      edited: components["schemas"]["Became"];
      /** @description The file that the record came in. */
      file: string;
      /** @description The network element that the record came from. */
      network_element: string;
      now: components["schemas"]["Became"] | null;
      /** @description The record's number in the file, from 1. */
      record: number;
      /**
       * Format: int64
       * @description The record's number in suspense. Absent if it is from an input file.
       */
      suspended: number | null;
    };
    /** @description The results of the edited script and of the active one, for some records. */
    SampleRuns: {
      /**
       * Format: double
       * @description The mean time of the edited script per record in nanoseconds, as machine code. Absent if each record ended in an
       *     error.
       */
      edited_nanoseconds: number | null;
      /**
       * Format: double
       * @description The same for the active script. Absent also if the texts are the same.
       */
      now_nanoseconds: number | null;
      /** @description The records; 20 at most. */
      records: components["schemas"]["SampleRecord"][];
      /**
       * @description Matching nodes, and nodes that keep counters, before the node. The records behind them cannot be predicted, so
       *     they are not among the records.
       */
      unknown_behind: string[];
    };
    SaveVersion: {
      /** @description A remark about the change, for the version and the audit trail. */
      remark?: string;
      /** @description The text of the flow file. */
      text: string;
    };
    /** @description A version that was saved. */
    Saved: {
      /** @description The digest of the files on the disk when the version was saved, for `found` of an activation. */
      found: string;
      /** @description The files that the flow names and the version does not contain. */
      left_out: components["schemas"]["LeftOutFile"][];
      /** @description Whether a user saved the same files as the last version before. That version keeps its user and its remark. */
      unchanged: boolean;
      /**
       * Format: int64
       * @description The number of the version. It is that of the last version if nothing has changed since.
       */
      version: number;
    };
    /** @description The text of a script. */
    Script: {
      /** @description The digest of the text, for `based_on`. */
      digest: string;
      /** @description The script's file, as the flow file names it. */
      file: string;
      /** @description The text. */
      text: string;
    };
    /** @description The result of a request to the language server. */
    ScriptAnalysis: {
      /**
       * @description The result, as in the Language Server Protocol 3.17. A module has the URI `flow:` with the name that the flow file
       *     has for it: `flow:asn1/msc.asn1`.
       */
      result: unknown;
    };
    /** @description A test of a script, and its result. */
    ScriptTest: {
      /** @description The line of the test, from 1. */
      line: number;
      /** @description The name of the test. */
      name: string;
      /** @description Why the test failed. Absent unless it did. */
      reason: string | null;
      /** @description The result. */
      result: components["schemas"]["ScriptTestResult"];
    };
    /**
     * @description The result of a test: `not-run` if the tests before it took all the time.
     * @enum {string}
     */
    ScriptTestResult: "passed" | "failed" | "not-run";
    /** @description The results of a script's tests. */
    ScriptTests: {
      /** @description The number of lines with code in the script's functions. */
      lines: number;
      /** @description The numbers, from 1, of those lines that no test ran. */
      lines_not_run: number[];
      /** @description The tests, in the order of the text. */
      tests: components["schemas"]["ScriptTest"][];
    };
    /** @description The scripts of the flow. */
    Scripts: {
      /** @description The scripts, in the order in which the flow file names them. */
      scripts: components["schemas"]["ListedScript"][];
    };
    /** @description The extent of a search with `where`. */
    SearchExtent: {
      /** @description The number of files that were read, the last one perhaps only in part. */
      files: number;
      /** @description The place to go on at, as `after` of the next request. Absent if the search is complete. */
      next: string | null;
      /** @description The files that could not be searched, and why; 20 at most. */
      problems: string[];
      /** @description The number of further such files. */
      problems_more: number;
      /** @description The number of records that were read. */
      records: number;
    };
    SendTrialRequest: {
      /** @description The reason for the trial. */
      because: string;
      /** @description The number that is called; empty without one. */
      called?: string;
      /** @description The network that the subscriber roams in; empty at home. */
      partner?: string;
      /** @description The phase. */
      phase: components["schemas"]["TrialPhase"];
      /** @description The number of the request in the call. A request that comes again gets the same answer, and changes nothing. */
      request: number;
      /** @description The service, as the plan names it. */
      service: string;
      /** @description What identifies the call among those of the user. */
      session: string;
      unit?: components["schemas"]["AmountUnit"] | null;
      /** @description What was used since the last request. */
      used?: number | null;
      /** @description What is wanted next. */
      wanted?: number | null;
    };
    /**
     * @description The meaning of a line: `late` is a gap that was closed, `repeated` a number that came twice,
     *     `restarted` a counter that began again at its first number, `unnumbered` what has no number,
     *     `agrees` and `differs` the comparison of a total. `missing-before` is a gap from before the
     *     period, `accepted` a gap that is accepted as lost, and `jumped` a counter that went on far from
     *     the expected number, so that the number of lost ones is unknown.
     * @enum {string}
     */
    SequenceEvent:
      | "expected"
      | "received"
      | "missing"
      | "missing-before"
      | "accepted"
      | "late"
      | "repeated"
      | "restarted"
      | "jumped"
      | "unnumbered"
      | "agrees"
      | "differs";
    /** @description A line of the report on sequence numbers. */
    SequenceLine: {
      /** @description When the event was noticed. */
      at: string | null;
      /**
       * Format: int64
       * @description How many numbers, or files for totals.
       */
      count: number;
      /** @description The file in which the event was noticed. */
      file: string | null;
      /**
       * Format: int64
       * @description The first number of the range. For a total, the value that the file states.
       */
      first: number | null;
      /**
       * Format: int64
       * @description The last number of the range, inclusive. It is less than `first` if the counter wrapped
       *     around. For a total, the value that was found.
       */
      last: number | null;
      /** @description The network element. */
      network_element: string;
      /** @description The user who accepted the gap, and the reason. */
      note: string | null;
      /** @description What the line is about. */
      of: components["schemas"]["SequenceSubject"];
      /** @description The name of the counter; empty if there is only one. For a total, its name. */
      series: string;
      /** @description When the gap was closed, or accepted as lost. */
      until: string | null;
      /** @description The meaning of the line. */
      what: components["schemas"]["SequenceEvent"];
    };
    /**
     * @description The report on sequence numbers: for each network element and counter, the expected, received and
     *     missing numbers.
     */
    SequenceReport: {
      /** @description When the report was made. */
      as_of: string;
      /** @description The path of the flow file. */
      flow: string;
      /** @description The beginning of the period. Absent if the period begins with the journal. */
      from: string | null;
      /** @description The lines, by network element and counter. */
      lines: components["schemas"]["SequenceLine"][];
      /**
       * Format: int64
       * @description Files that are done and not part of the report yet: some while a gateway works, or after it
       *     was stopped.
       */
      not_yet: number;
      /** @description The SHA-256 digest of the report as text (CSV), in hexadecimal. */
      sha256: string;
      /** @description The end of the period, exclusive. Absent if the period ends now. */
      to: string | null;
    };
    /**
     * @description What a line is about: the numbers of files, the numbers of records, or a total that files contain.
     * @enum {string}
     */
    SequenceSubject: "file" | "record" | "total";
    /** @description The session of a user, or the token of a program. */
    SessionBody: {
      /** @description The value for the header `X-CSRF-Token`, which each change needs. Empty for a token, which needs none. */
      csrf: string;
      /** @description The name of the flow. */
      flow: string;
      /** @description The name of the user or token, as in the audit trail. */
      name: string;
      role: components["schemas"]["Role"];
      /** @description The latest end of the session. It ends earlier after two hours without a request. Absent for a token. */
      until: string | null;
    };
    /** @description A page of sessions. */
    Sessions: {
      /** @description The currency of their amounts. */
      currency: string;
      /** @description Whether numbers are masked, since the role does not see subscriber data. */
      masked?: boolean;
      /** @description Whether there are more. */
      more: boolean;
      /** @description The sessions. */
      sessions: components["schemas"]["OpenSession"][];
    };
    SetBarredServices: {
      /** @description The reason. */
      because: string;
      /**
       * @description The tariff classes of the plans, such as calls abroad: those that `charging.toml` names in `[barring]` or for a bundle
       *     or bonus; empty for none. Without this, the account stays barred from the classes that it is.
       */
      classes?: string[] | null;
      /** @description The services, as the plans name them; empty for none. */
      services: string[];
    };
    SetCreditLimit: {
      /** @description The reason. */
      because: string;
      /** @description The amount in the currency of the account; `0` for none. */
      credit_limit: string;
    };
    SetRole: {
      /** @description The new role. */
      role: components["schemas"]["Role"];
    };
    SetStanding: {
      /** @description The reason. */
      because: string;
      /** @description Who may use it from now on. */
      standing: components["schemas"]["AccountStanding"];
    };
    SetSubscriberType: {
      /** @description The reason. */
      because: string;
      /** @description The type, as the plans name it; empty for that of the number. */
      subscriber_type: string;
    };
    /** @description A key of a table in the flow file. */
    Setting: {
      /** @description The meaning of the key; may be empty. */
      help: string;
      /** @description The name. A dot separates the name of an inner table from its key: `deliver.dir`. */
      key: string;
      /** @description Whether the key must be present. */
      required: boolean;
      /** @description The type of its value. */
      sort: components["schemas"]["SettingSort"];
    };
    /**
     * @description The type of a value: `text`, or `truth` for `true` and `false`.
     * @enum {string}
     */
    SettingSort: "text" | "truth";
    ShowConsequences: {
      /** @description The text of a flow file, in place of a version. */
      text?: string | null;
      /**
       * Format: int64
       * @description The number of a version.
       */
      version?: number | null;
    };
    /** @description A file of a version. */
    ShownVersionFile: {
      /** @description Its text. */
      text: string;
    };
    /** @description A voucher, without its PIN. */
    ShownVoucher: {
      /** @description The account that it was used for. */
      account: number | null;
      /** @description What it is worth. */
      amount: string;
      /** @description Its batch. */
      batch: number;
      /** @description The currency. */
      currency: string;
      /** @description Its serial number. */
      serial: number;
      /** @description `generated`, `active`, `used`, `blocked` or `expired`. */
      state: string;
      /** @description When it expires. */
      until: string;
      /** @description When it was used. */
      used_at: string | null;
    };
    StartReplay: {
      /** @description Drafts of scripts, modules and tariff tables; 1000 at most. */
      files?: components["schemas"]["ReplayDraft"][];
      from?: components["schemas"]["Moment"] | null;
      /**
       * @description The maximum number of files; the latest are used. Default 100, at most 1000. All files together have 4 GiB at
       *     most.
       */
      limit?: number | null;
      /** @description Only files of these network elements; all if the list is empty. */
      network_elements?: string[];
      /** @description A draft of the flow file. */
      text?: string | null;
      to?: components["schemas"]["Moment"] | null;
      /**
       * Format: int64
       * @description The number of a version of the flow. Give either this or drafts.
       */
      version?: number | null;
    };
    StartTrace: {
      /** @description The reason. */
      because: string;
      /** @description For how long at most: `10 minutes`; 30 minutes by default, and a day at most. */
      length?: string | null;
      /** @description Only messages of sessions of this number. */
      number?: string | null;
      /** @description Only messages of this peer. */
      peer?: string | null;
      /** @description Only messages of this session: its Session-Id, or the key that lists of sessions have. */
      session?: string | null;
      /** @description The size with which the file is full: `20 MB`; 100 MB by default, and 1 GB at most. */
      size?: string | null;
    };
    /**
     * @description The state of a record in suspense, or all states.
     * @enum {string}
     */
    StateFilter: "open" | "retried" | "discarded" | "all";
    /** @description That no action is sent. */
    Stop: {
      /** @description Why. */
      because: string;
      /** @description Since when. */
      since: string;
      /** @description Who stopped them. */
      who: string;
    };
    StopActions: {
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    /** @description Whether actions are stopped. */
    StoppedActions: {
      stopped: components["schemas"]["Stop"] | null;
    };
    /** @description The counter of a bundle or discount for one period. */
    SubscriberCounter: {
      /** @description The file whose record was counted last. Absent if the journal has forgotten the file. */
      changed_by: string | null;
      /** @description The name of the bundle or discount in the plan. */
      name: string;
      /** @description The rating node. */
      node: string;
      /** @description What is counted. */
      of: components["schemas"]["CounterKind"];
      /** @description The period: `once`, a day or a month. */
      period: string;
      /** @description The unit of `used`. */
      unit: components["schemas"]["CounterUnit"];
      /**
       * @description For a bundle, the units used; for a discount, the amount spent in the plan's currency. It is
       *     a text, because a JSON number could lose digits.
       */
      used: string;
    };
    /** @description Why a subscriber cannot be imported. */
    SubscriberMistake: {
      /** @description The line, or the place among the subscribers from 1 if they have no lines. */
      line: number;
      /** @description What is wrong. */
      why: string;
    };
    /** @description What subscribers are to hear of. */
    SubscriberNotice: {
      /** @description When it was made. */
      at: string;
      /** @description The level that it fell below: an amount, or a percentage such as `20 %`. */
      below: string | null;
      /** @description The currency of the account. */
      currency: string;
      /** @description What has happened. */
      kind: components["schemas"]["NoticeKind"];
      /** @description What was left. */
      left: string | null;
      /** @description The threshold, the bundle, the bonus, the fee or the limit that it is about, as `charging.toml` names it. */
      name: string | null;
      /** @description Its number among those of all accounts. */
      notice: number;
      /** @description The number that has the limit for itself, if each number has it. */
      number: string | null;
      /** @description All of it in words. */
      text: string;
      unit: components["schemas"]["AmountUnit"] | null;
      /** @description When it ends. */
      until: string | null;
    };
    /** @description The sums of a period. */
    SummedBooks: {
      /** @description The currency of money. */
      currency: string;
      /** @description The sums of each unit that has entries. */
      units: components["schemas"]["UnitSums"][];
    };
    /** @description A record in suspense. */
    SuspendedRecord: {
      /** @description Whether a retry of the record is requested and not done yet. */
      asked: boolean;
      /** @description The code of the error. Empty if the record comes from a version without codes. */
      code: string;
      /** @description Whether the record was edited. */
      edited: boolean;
      /** @description The file that the record came in. */
      file: string;
      /**
       * Format: int64
       * @description The record's number in suspense.
       */
      id: number;
      /** @description The network element whose file the record came in. */
      network_element: string;
      /** @description The node or system that refused the record. Empty if the record could not be decoded. */
      node: string;
      /** @description The record's octets as they are now; in JSON they are in hexadecimal. Lists of the API leave them out. */
      octets: string;
      /**
       * Format: int64
       * @description The offset of the record's first octet in the file.
       */
      offset: number;
      /** @description The error. */
      reason: string;
      /**
       * Format: int64
       * @description The record's number in the file, from 1.
       */
      record: number;
      /**
       * Format: int64
       * @description How often the record was retried.
       */
      retries: number;
      /** @description When the record was set aside, such as `2026-11-21T14:05:00Z`. */
      since: string;
      /** @description The state of the record. */
      state: components["schemas"]["SuspendedState"];
      /** @description The values in the error. */
      values: components["schemas"]["ReasonValue"][];
      /**
       * @description The matching node in which the record waited, if it was set aside with its group. A retry
       *     puts it back there.
       */
      waited_in?: string;
      /** @description Why the record is in suspense. */
      why: components["schemas"]["SuspenseReason"];
    };
    /** @description An action on a record in suspense. */
    SuspendedRecordAction: {
      /** @description The action, as the command that does it: `suspense edit`. */
      action: string;
      /** @description When the action was requested, such as `2026-11-21T14:05:00Z`. */
      at: string;
      /** @description The reason that the user gave; empty for a retry. */
      because: string;
      outcome: components["schemas"]["RetryOutcome"] | null;
      /** @description The node and error of a retry that failed. */
      reason: string | null;
      /** @description The user or token. */
      who: string;
    };
    /** @description A record in suspense. */
    SuspendedRecordDetail: {
      /**
       * @description The octets as they arrived, in hexadecimal. Absent if the record was not edited, or if
       *     subscriber data is masked.
       */
      came: string | null;
      /** @description The actions on the record, the oldest first. */
      history: components["schemas"]["SuspendedRecordAction"][];
      /**
       * @description The record in JSON (JER, X.697), with the fields of its type in the flow's ASN.1 modules.
       *     Absent if it cannot be decoded.
       */
      json: Record<string, unknown> | null;
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description The record's octets as they are now, in hexadecimal. Empty if subscriber data is masked. */
      octets: string;
      /** @description Why the record cannot be decoded. Absent if it can. */
      problem: string | null;
      /** @description The record, as in the list. */
      record: components["schemas"]["SuspendedRecord"];
      /**
       * @description The types of the values that `json` may contain; the first is the type of the record. Absent
       *     if the record cannot be decoded, or if its type is unknown.
       */
      types: components["schemas"]["RecordType"][] | null;
    };
    /**
     * @description The state of a record in suspense: `retried` once a retry succeeded, `discarded` once a user
     *     gave the record up.
     * @enum {string}
     */
    SuspendedState: "open" | "retried" | "discarded";
    /** @description The number of open records that a node or system refused. */
    SuspenseNode: {
      /** @description The network element of the records. */
      network_element: string;
      /** @description The node or system that refused the records. Empty if they could not be decoded. */
      node: string;
      /** @description The number of open records. */
      records: number;
    };
    /** @description The open records, counted by node. */
    SuspenseNodes: {
      /** @description The places; none without open records. */
      nodes: components["schemas"]["SuspenseNode"][];
    };
    /**
     * @description Why a record is in suspense.
     * @enum {string}
     */
    SuspenseReason: "suspended" | "duplicate";
    /** @description The sum of all subscribers, or what the operator has in one of its accounts. */
    SystemBalance: {
      /** @description The amount. What came in by refills is negative: the operator owes it. */
      amount: string;
      /** @description `subscribers`, `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus`, `fee` or `bundle`. */
      of: string;
      /** @description What it counts. */
      unit: components["schemas"]["AmountUnit"];
    };
    /** @description What went from accounts to a system account, or to accounts from it. */
    SystemSum: {
      /** @description The amount: positive if accounts have paid it, negative if they got it. Figures of the system have this sign, too. */
      amount: string;
      /** @description How many entries there are. */
      entries: number;
      /** @description The system account: `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus` or `fee`. */
      system: string;
    };
    TakeBackRetries: {
      /** @description `true` for all records. Required if there are neither `ids` nor conditions. */
      all?: boolean;
      filter?: components["schemas"]["RecordFilter"] | null;
      /** @description The numbers of the records. */
      ids?: number[] | null;
    };
    /** @description The result of taking retries back. */
    TakenBack: {
      /** @description The number of records that are not to be retried any more. */
      taken_back: number;
    };
    /**
     * @description The source of the records: `stream` are records of the latest input files that come to the node, `suspense` are open
     *     records in suspense that the node refused.
     * @enum {string}
     */
    TakenFrom: "stream" | "suspense";
    /**
     * @description A tariff plan: a folder of tables, or a database of versions. For a database, `name`, `currency`, `classes` and
     *     `services` are those of the last version.
     */
    Tariff: components["schemas"]["Mistakes"] & {
      /** @description The tariff classes of the plan. */
      classes: string[];
      /** @description The currency of the plan, as an ISO 4217 code. Absent if the plan has mistakes. */
      currency: string | null;
      /** @description The name of the plan. Absent if the plan has mistakes. */
      name: string | null;
      /** @description The nodes that rate by it. Empty for a database that only scripts use, or that is not used yet. */
      nodes: string[];
      /** @description The plan, as the flow file names it; of another database, its name in the folder of the flow file. */
      plan: string;
      /** @description Why the plan cannot be used, if this is not a mistake in one of its files. */
      problem: string | null;
      /** @description The services that the plan prices. */
      services: string[];
      /** @description The tables of the plan. Empty for a database. */
      tables: components["schemas"]["TariffTable"][];
      /** @description The versions of a database; empty if it does not exist yet. Absent for a folder. */
      versions: components["schemas"]["TariffVersion"][] | null;
    };
    /** @description An action on a version of a tariff plan. */
    TariffAction: {
      /** @description When it was done. */
      at: string;
      /** @description The reason that the user gave. */
      reason: string;
      /** @description The user or token. */
      who: string;
    };
    TariffChecked: {
      /** @description The files of the plan. */
      draft: components["schemas"]["TariffDraft"];
      /**
       * @description The plan, as the flow file names it, or the name of a database in the folder of the flow
       *     file: `prices.db`.
       */
      plan: string;
    };
    /** @description The files of a new version of a tariff plan, as changes to another version. */
    TariffDraft: {
      /**
       * Format: int64
       * @description The version that has the unchanged files. Absent if `files` has all files of the plan.
       */
      based_on?: number | null;
      /** @description The changed files, by name (`prices.csv`): the text, or `null` to leave the file out. */
      files?: {
        [key: string]: string | null;
      };
    };
    /**
     * @description The price of a usage, and how it came about. Amounts are texts, because a JSON number could lose
     *     digits.
     */
    TariffExplained: {
      /** @description The name of the plan. */
      plan: string;
      price: components["schemas"]["TariffPrice"] | null;
      /** @description Why there is no price. */
      problem: string | null;
      /** @description The steps of the rating, in order. */
      steps: components["schemas"]["TariffStep"][];
    };
    /** @description A file of a version. */
    TariffFile: {
      /** @description The digest of the file. Two versions of a file with the same digest are the same. */
      digest: string;
      /** @description The name of the file: `prices.csv`. */
      file: string;
      /** @description The size of the file in octets. */
      octets: number;
    };
    /** @description The text of a file of a version. */
    TariffFileText: {
      /** @description The text. */
      text: string;
    };
    /** @description The files of a version. */
    TariffFiles: {
      /** @description The files, by name. */
      files: components["schemas"]["TariffFile"][];
    };
    /** @description The mistakes of a tariff plan. */
    TariffFound: components["schemas"]["Mistakes"];
    TariffLoad: {
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /** @description The files of the plan. */
      draft: components["schemas"]["TariffDraft"];
      /**
       * @description The plan, as the flow file names it, or the name of a database in the folder of the flow
       *     file: `prices.db`.
       */
      plan: string;
      /**
       * @description When the version begins, with a zone: `2027-01-01 Europe/Stockholm`. It must be in the
       *     future, except for the first version of a database.
       */
      valid_from: string;
    };
    /** @description The result of loading a tariff plan. */
    TariffLoaded: components["schemas"]["Mistakes"] & {
      gateway: components["schemas"]["Activated"] | null;
      /** @description The name of the plan. Absent if the plan is not loaded. */
      name: string | null;
      /** @description When the version begins. Absent if the plan is not loaded. */
      valid_from: string | null;
      /**
       * Format: int64
       * @description The number of the new version. Absent if the plan has mistakes; it is then not loaded.
       */
      version: number | null;
    };
    /** @description The price of a usage. */
    TariffPrice: {
      /** @description The tariff class. */
      class: string;
      /** @description The number of billed units: those of all intervals that were begun. */
      counted: number;
      /** @description The currency, as an ISO 4217 code. */
      currency: string;
      /** @description The part of `counted` that bundles paid. */
      free: number;
      /** @description The amount without tax. */
      net: string;
      /** @description The tax. */
      tax: string;
      /** @description The amount with tax. */
      total: string;
      /** @description The unit of `counted` and `free`. */
      unit: components["schemas"]["TariffUnit"];
    };
    /**
     * @description The state of a version of a tariff plan now. One version at most is `valid`.
     * @enum {string}
     */
    TariffStanding: "past" | "valid" | "coming" | "withdrawn";
    /** @description A step of the rating of a usage. */
    TariffStep: {
      /** @description The file of the plan that the result is from. Absent if it is from no file. */
      file: string | null;
      /** @description The result of the step, in words. */
      found: string;
      /** @description The line in this file, from 1. */
      line: number | null;
      /** @description The name of the step: `number analysis`. */
      step: string;
    };
    /** @description A table of a tariff plan. */
    TariffTable: {
      /** @description The digest of the text. */
      digest: string;
      /** @description The file, with the folder as the flow file names it. */
      file: string;
    };
    /** @description A table of a tariff plan, or its `tariff.toml`. */
    TariffText: {
      /** @description The digest of the text, for `based_on`. */
      digest: string;
      /** @description The file, with the folder as the flow file names it. */
      file: string;
      /** @description The text. */
      text: string;
    };
    /**
     * @description The unit in which a tariff class counts usages.
     * @enum {string}
     */
    TariffUnit: "seconds" | "octets" | "events";
    TariffUsage: {
      draft?: components["schemas"]["TariffDraft"] | null;
      /** @description The duration: `60` (seconds), `3 min`. */
      duration?: string | null;
      /** @description When the usage ended, in place of `duration`. */
      end?: string | null;
      /** @description The number of events. */
      events?: number | null;
      /** @description The served number. */
      from?: string | null;
      /** @description The volume: `1000` (octets), `250 MB`. */
      octets?: string | null;
      /** @description The network that the subscriber roamed in. */
      partner?: string | null;
      /**
       * @description The plan, as the flow file names it, or the name of a database in the folder of the flow
       *     file: `prices.db`.
       */
      plan: string;
      /** @description The service, by its name in the plan: `telephony`, `sms`, `data`. */
      service?: string | null;
      /** @description When the usage started, with a zone: `2026-06-01 18:59:30 Europe/Stockholm`. */
      start: string;
      /** @description The type of subscriber, if the plan does not know it by the number. */
      subscriber?: string | null;
      /** @description The other number. */
      to?: string | null;
    };
    /** @description A version of a tariff plan in a database. It is valid until the next one begins. */
    TariffVersion: {
      /** @description The action that loaded the version. */
      loaded: components["schemas"]["TariffAction"];
      /** @description The name of the plan. */
      name: string;
      /** @description Whether it is valid now. */
      standing: components["schemas"]["TariffStanding"];
      /** @description When the version begins. */
      valid_from: string;
      /** @description When the next version begins. Absent if there is none, or if this version is withdrawn. */
      valid_to: string | null;
      /**
       * Format: int64
       * @description The number of the version.
       */
      version: number;
      withdrawn: components["schemas"]["TariffAction"] | null;
    };
    TariffWithdraw: {
      /** @description The reason, for the audit trail. It must not be empty. */
      because: string;
      /**
       * @description The plan, as the flow file names it, or the name of a database in the folder of the flow
       *     file: `prices.db`.
       */
      plan: string;
    };
    /** @description The tariff plans of a flow. */
    Tariffs: {
      /** @description The plans, by name. */
      tariffs: components["schemas"]["Tariff"][];
    };
    TestScript: {
      /** @description The edited text. */
      text: string;
    };
    /** @description Times of many things, in milliseconds. */
    Times: {
      /**
       * Format: double
       * @description Half of them took less.
       */
      p50_ms: number;
      /**
       * Format: double
       * @description 1 % of them took longer.
       */
      p99_ms: number;
    };
    /** @description A token, without its secret. */
    Token: {
      /** @description Whether the token has expired. It stays in the list until it is removed, or a new token gets its name. */
      expired: boolean;
      /**
       * Format: int64
       * @description The token's number.
       */
      id: number;
      /** @description The last use, to the minute. Absent if there was none. */
      last_used: string | null;
      /** @description The name. */
      name: string;
      /** @description The role. */
      role: components["schemas"]["Role"];
      /** @description When the token was made. */
      since: string;
      /** @description When the token expires. */
      until: string;
    };
    /** @description The tokens. */
    Tokens: {
      /** @description The tokens, by number. */
      tokens: components["schemas"]["Token"][];
    };
    /**
     * @description The trace of a record: where it came from, which nodes it passed, and which files its outputs
     *     are in.
     */
    Trace: {
      /** @description When the job was committed to the journal, such as `2026-11-21T14:05:00Z`. */
      done: string;
      /**
       * @description The name of the earlier file of which this one is a duplicate. The record was then not
       *     processed.
       */
      duplicate_of?: string;
      /** @description The file that the record came in, or the name of the job that ended its group. */
      file: string;
      /** @description The records of the group that the record waits or waited in. */
      group: components["schemas"]["TraceGroupRecord"][];
      /**
       * Format: int64
       * @description The number of the job in the journal.
       */
      job: number;
      /** @description The traces of later jobs: of a retry, or of the end of the group. */
      later: components["schemas"]["Trace"][];
      /** @description The network element that the file was collected from. */
      network_element: string;
      /**
       * @description The offset of the record's first octet in the file. Absent for a group that was ended
       *     because its time was over.
       */
      offset: number | null;
      /** @description The records that were made of it. */
      outputs: components["schemas"]["TraceOutput"][];
      /** @description The record's number in the file, from 1. Absent if it is unknown. */
      record: number | null;
      /** @description Whether this is the trace of a retry. */
      retried: boolean;
      /** @description The entries in suspense that the record has or had. */
      suspense: components["schemas"]["TraceSuspense"][];
      /** @description The steps at the nodes and systems, in order. */
      way: components["schemas"]["TraceStep"][];
    };
    /** @description The delivery of an output file. */
    TraceDelivery: {
      /** @description The file's name at the receiver. Absent until the file is delivered. */
      name: string | null;
      /** @description The state of the delivery. */
      state: components["schemas"]["DeliveryState"];
    };
    /** @description A record of a group, as a trace shows it. */
    TraceGroupRecord: {
      /** @description The file that the record came in. Absent if the journal has forgotten it. */
      file: string | null;
      /**
       * Format: int64
       * @description The number of the group.
       */
      group: number;
      /** @description The key that the group's records share. */
      key: string;
      /** @description The matching node. */
      node: string;
      /**
       * Format: int64
       * @description The offset of the record's first octet in the file.
       */
      offset: number;
      /**
       * Format: int64
       * @description The record's number in the file, from 1.
       */
      record: number;
    };
    /** @description The traces of messages. */
    TraceList: {
      /** @description Whether a system with `[diameter]` runs: otherwise, none can be started. */
      served: boolean;
      /** @description The traces. */
      traces: components["schemas"]["MessageTrace"][];
    };
    /** @description A record in an output file. */
    TraceOutput: {
      /** @description The delivery of the file. Absent if the system collects it from the folder. */
      carried?: components["schemas"]["TraceDelivery"];
      /** @description The path of the output file. */
      file: string;
      /** @description The size of the record in octets. */
      octets: number;
      /** @description The offset of the record's first octet in the output file, before compression. */
      offset: number;
      /** @description The receiver. */
      post_processing_system: string;
      /** @description The record's number in the output file, from 1. */
      record: number;
    };
    /** @description A part of the file of a trace. */
    TracePart: {
      /** @description Where the next part begins; absent after the last one. */
      next: number | null;
      /** @description Its octets, in Base64. */
      octets: string;
    };
    /** @description A step of a record's trace. */
    TraceStep:
      | {
          /**
           * @description The record passed a node and went on by this stream; the stream's name is empty if the node
           *     has only one.
           */
          passed: {
            node: string;
            stream: string;
          };
        }
      | {
          /** @description The record ended in a node, which made nothing of it. */
          ended: {
            node: string;
          };
        }
      | {
          /** @description A node made other records of it. */
          made: {
            node: string;
          };
        }
      | {
          /** @description The record waits in a matching node. */
          held: {
            node: string;
          };
        }
      | {
          /** @description A matching node released the group of the record. */
          released: {
            node: string;
          };
        }
      | {
          /** @description The record was written for a system. */
          written: {
            system: string;
          };
        }
      | {
          /** @description Many records made of it were written for a system. */
          "written-often": {
            system: string;
          };
        }
      | {
          /** @description A node or system refused the record, which went to suspense. */
          suspended: {
            at: string;
          };
        }
      | {
          /** @description The record went to suspense as a duplicate. */
          duplicate: {
            at: string;
          };
        }
      | "unreadable"
      | "more";
    /** @description A record in suspense, as its trace shows it. */
    TraceSuspense: {
      /**
       * Format: int64
       * @description The record's number in suspense.
       */
      id: number;
      /** @description The node or system that refused the record. Empty if the record could not be decoded. */
      node: string;
      /** @description The error. */
      reason: string;
      /** @description The state of the record in suspense. */
      state: components["schemas"]["SuspendedState"];
    };
    /** @description The traces of records. */
    Traces: {
      looked: components["schemas"]["SearchExtent"] | null;
      /** @description `true` if subscriber data in reasons and keys is masked. Absent otherwise. */
      masked?: boolean;
      /** @description The traces. There are several if several files have the name. */
      traced: components["schemas"]["Trace"][];
    };
    /** @description A page of the audit trail. */
    Trail: {
      /** @description The entries, the newest first. */
      entries: components["schemas"]["TrailEntry"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description Whether there are more entries. */
      more: boolean;
    };
    /** @description An entry of the audit trail: one action of a user or of the gateway. */
    TrailEntry: {
      /** @description The action, as the command that does it: `suspense discard`. */
      action: string;
      /** @description The value after the action, if it changed a single thing. */
      after: string | null;
      /** @description When the action was done, such as `2026-11-21T14:05:00Z`. */
      at: string;
      /** @description The value before the action, if it changed a single thing. */
      before: string | null;
      /**
       * Format: int64
       * @description The number of the entry.
       */
      id: number;
      /** @description The reason; empty for actions that need none. */
      reason: string;
      /** @description The object of the action. Of a view of subscriber data, it is empty when records of its time are no longer stored. */
      subject: string;
      /** @description The user, the token or `the gateway`. */
      who: string;
    };
    TransferAmount: {
      /** @description The amount in the currency of the accounts: `100.00`. */
      amount: string;
      /** @description The reason. */
      because: string;
      /** @description The reference. A transfer that comes again with its reference changes nothing. */
      reference: string;
      /** @description A number of the receiver, or `#` and the number of the account. */
      to: string;
    };
    /** @description A transfer that was made. */
    Transferred: {
      /** @description The balance of the sender, as it is now. */
      balance: string;
      /** @description The currency. */
      currency: string;
      /** @description What the sender has paid for it. None if there is no fee, or the same transfer came before. */
      fee: string | null;
      /** @description The account of the sender. */
      from: number;
      /** @description Whether the same transfer came before: nothing was changed now. */
      repeated: boolean;
      /** @description The account of the receiver. */
      to: number;
    };
    /** @description What the charging system answers to a request of a trial call. */
    TrialAnswer: {
      /** @description The account that pays. */
      account: number;
      /** @description Whether more was reported than can have been used. The rest is not charged. */
      capped: boolean;
      /** @description The currency. */
      currency: string;
      /** @description Whether the account pays for no more. */
      final: boolean;
      /** @description How much is granted. */
      granted: number | null;
      /** @description The money that the call has paid so far. */
      paid: string;
      refused: components["schemas"]["RefusedLeg"] | null;
      /** @description The money that is reserved for it. */
      reserved: string;
      /** @description The key of the session: 32 hexadecimal digits. */
      session: string;
      unit: components["schemas"]["AmountUnit"] | null;
      /** @description For how many seconds the grant is valid. */
      valid_seconds: number | null;
    };
    /**
     * @description The phase of a trial call.
     * @enum {string}
     */
    TrialPhase: "first" | "next" | "final";
    UndoActions: {
      /** @description The numbers of the actions. */
      actions: number[];
      /** @description Why, for others and the audit trail. */
      reason: string;
    };
    /** @description The sums of a unit. */
    UnitSums: {
      /** @description What accounts had at the end. */
      after: string;
      /** @description What accounts had at the beginning. */
      before: string;
      /** @description What went to the operator and came from it. What accounts had, less all of this, is what they have at the end. */
      changes: components["schemas"]["SystemSum"][];
      /** @description The unit. */
      unit: components["schemas"]["AmountUnit"];
    };
    UnmaskFraudCase: {
      /** @description Why, for the audit trail. It must not be empty. */
      because: string;
    };
    UseVoucher: {
      /** @description The PIN. */
      pin: string;
    };
    /** @description A voucher that was used. */
    UsedVoucher: {
      /** @description The account. */
      account: number;
      /** @description What the account got. */
      amount: string;
      /** @description What the account got as a bonus. */
      bonuses: components["schemas"]["GivenBonus"][];
      /** @description The currency. */
      currency: string;
      /** @description Whether the account got it before: nothing was changed now. */
      repeated: boolean;
      /** @description The serial number of the voucher. */
      serial: number;
    };
    /** @description A version of the flow file and the files that it names. */
    Version: {
      /** @description The activations, the oldest first. */
      activated: components["schemas"]["Activation"][];
      /** @description Whether the files on the disk are those of this version. */
      active: boolean;
      /** @description When it was saved. */
      at: string;
      proposal: components["schemas"]["Proposal"] | null;
      /** @description The remark; may be empty. */
      remark: string;
      /**
       * Format: int64
       * @description The number of the version.
       */
      version: number;
      /** @description The user or token who saved it. */
      who: string;
    };
    /** @description A version with its files. */
    VersionContent: components["schemas"]["Version"] & {
      /** @description The scripts, their tables, modules and tariff plans. */
      files: components["schemas"]["VersionFile"][];
      /** @description The digest of the files on the disk now, for `found` of an activation. */
      found: string;
      /** @description The files that the flow names and the version does not contain. */
      left_out: components["schemas"]["LeftOutFile"][];
      /** @description The text of the flow file. */
      text: string;
    };
    /** @description A file of a version. */
    VersionFile: {
      /** @description Whether the file on the disk has another text, or does not exist. */
      is_other: boolean;
      /** @description The file, as the flow names it. */
      name: string;
      /** @description The text on the disk, if it is another one. Absent if the file does not exist, or is larger than 1 MiB. */
      now: string | null;
      /** @description The size of the file in octets. */
      octets: number;
      /** @description The text. Absent if the file is larger than 1 MiB. */
      text: string | null;
    };
    /** @description A page of versions. */
    Versions: {
      /** @description Whether there are more versions. */
      more: boolean;
      /** @description The versions, the newest first. */
      versions: components["schemas"]["Version"][];
    };
    /** @description A voucher that an account was refilled with. */
    VoucherOrigin: {
      /** @description Its batch. */
      batch: number;
      /** @description Its serial number. */
      serial: number;
    };
    /** @description A network element for whose records a group waits. */
    WaitedFor: {
      /** @description The latest record time from this network element; absent if it has sent no record. */
      at: string | null;
      /** @description The name of the network element. */
      network_element: string;
    };
    /** @description A group of records in a matching node, waiting or released. */
    WaitingGroup: {
      /** @description The request of a user to end the group. */
      asked?: components["schemas"]["WaitingGroupEnd"];
      /** @description The earliest time in the records themselves. Absent if the node reads no time from records. */
      first: string | null;
      /**
       * Format: int64
       * @description The group's number.
       */
      id: number;
      /** @description The key that the group's records share. */
      key: string;
      /** @description The latest time in the records themselves. Absent if the node reads no time from records. */
      last: string | null;
      /** @description The matching node. */
      node: string;
      /**
       * @description When the group expires. Absent if the group no longer waits, or if the flow no longer has
       *     the node.
       */
      over?: components["schemas"]["WaitingUntil"];
      /** @description The records, in the order of arrival. Present only if the request is for a single group. */
      parts?: components["schemas"]["WaitingRecord"][];
      /**
       * Format: int64
       * @description The number of records.
       */
      records: number;
      release: components["schemas"]["GroupRelease"] | null;
      /** @description When the group was released. */
      released: string | null;
      /** @description The file whose record completed the group, or the name of the job that released it. */
      released_by: string | null;
      /** @description When the first record of the group arrived. */
      since: string;
    };
    /** @description A request to end a group before its time. */
    WaitingGroupEnd: {
      /** @description The reason that the user gave. */
      because: string;
      /** @description How the group is to end. */
      end: components["schemas"]["MatchingEnd"];
      /** @description The user or token. */
      who: string;
    };
    /** @description A record of a group. */
    WaitingRecord: {
      /** @description When the file of the record was done. Absent if the journal has forgotten the file. */
      came: string | null;
      /** @description The file that the record came in. Absent if the journal has forgotten it. */
      file: string | null;
      /** @description The time in the record itself. Absent if the node reads no time from records. */
      made: string | null;
      /** @description The network element that the record came from. Absent if the journal has forgotten the file. */
      network_element: string | null;
      /**
       * @description The record as the node stores it; in JSON it is in hexadecimal. Present only while the group
       *     waits, and only if subscriber data is not masked.
       */
      octets?: string;
      /**
       * Format: int64
       * @description The offset of the record's first octet in the file.
       */
      offset: number;
      /**
       * Format: int64
       * @description The record's number in the file, from 1.
       */
      record: number;
    };
    /** @description When a waiting group expires: at `past` or at `at`, whichever comes first. */
    WaitingUntil: {
      /**
       * @description The group expires at this time of the gateway's clock. Absent if the node has no limit by
       *     arrival.
       */
      at: string | null;
      /**
       * @description The network elements with files that could not be processed. At `at` the group does not
       *     expire before these files are processed.
       */
      behind_files_of?: string[];
      /**
       * @description The numbers of records in suspense that may belong to the group. It does not expire before
       *     they are retried or discarded.
       */
      not_before?: number[];
      /**
       * @description The group expires when the records of all network elements that feed the node are past this
       *     time, by the time in the records. Absent if the node has no limit by record time.
       */
      past: string | null;
      /** @description The network elements whose records are not past it yet. */
      waits_for?: components["schemas"]["WaitedFor"][];
      /** @description When the group stops waiting for the files of `behind_files_of`. */
      without_files_at?: string;
    };
    Welcome: {
      /** @description The part of the link after `#`. */
      link: string;
      /** @description The name of the first administrator. Ignored for other links, which are for a certain user. */
      name?: string;
      /** @description The new password: 12 characters at least, 1024 octets at most, and hard to guess. */
      password: string;
    };
    /** @description A case with all that belongs to it. */
    WholeFraudCase: components["schemas"]["FraudCase"] & {
      /** @description The actions about its key, the newest first, 200 at most. */
      actions: components["schemas"]["RequestedAction"][];
      /** @description Its alerts, the newest first, 200 at most. */
      found: components["schemas"]["FoundAlert"][];
      /** @description `true` if subscriber data is masked. Absent otherwise. */
      masked?: boolean;
      /** @description The other cases about the same key, the newest first, 200 at most. */
      others: components["schemas"]["FraudCase"][];
      /** @description What was done with it, the oldest first. */
      steps: components["schemas"]["CaseStep"][];
      /** @description Whether the caller may see it unmasked after giving a reason. */
      unmaskable: boolean;
    };
    /** @description The result of withdrawing a version. */
    WithdrawnTariff: {
      answer: components["schemas"]["ActivationAnswer"] | null;
      /** @description The changes of the flow, in words, if the answer is `active` or `pending`. */
      changed: string[];
      /** @description The mistakes, if the answer is `mistakes`; 100 at most. */
      mistakes: string[];
      /** @description The name of the plan. */
      name: string;
      /**
       * Format: int64
       * @description The number of the version.
       */
      version: number;
    };
    /** @description An entry as it is written. A cell that is not there is empty. */
    WrittenEntry: {
      /** @description Why. */
      because: string;
      /** @description The day or time from which it holds. */
      from: string;
      /** @description Where it comes from. */
      source: string;
      /** @description The day or time until which it holds. */
      until: string;
      /** @description Who has added it. */
      who: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  account_list: {
    parameters: {
      query?: {
        /** @description Only numbers after this one: the last of the page before. */
        after?: string;
        /** @description Only numbers that begin with these digits. */
        begins?: string;
        /** @description The numbers of a page, 500 at most. */
        limit?: number;
        /** @description Only numbers that have these digits, at any place. */
        part?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Accounts"];
        };
      };
    };
  };
  account_open: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["OpenAccount"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  subscriber_import: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ImportSubscribers"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Imported"];
        };
      };
    };
  };
  account_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_adjust: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AdjustAccount"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Moved"];
        };
      };
    };
  };
  account_bar: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetBarredServices"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_cancel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
        /** @description The name of the bundle. */
        bundle: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CancelBundle"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_buy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BuyBundle"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BoughtBundle"];
        };
      };
    };
  };
  account_limit: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetCreditLimit"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_reverse: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
        /** @description The number of the entry. */
        entry: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReverseEntry"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Moved"];
        };
      };
    };
  };
  account_history: {
    parameters: {
      query?: {
        /** @description Only entries before this one. */
        before?: number;
        /** @description Only entries from this moment on: `2026-10-31T23:00:00Z`. */
        from?: string;
        /** @description The entries of a page, 500 at most. */
        limit?: number;
        /** @description Only entries of this session: 32 hexadecimal digits. */
        session?: string;
        /** @description Only entries whose amount went to this account of the operator, or came from it: `revenue`, `refill`. */
        system?: string;
        /** @description Only entries before this moment. */
        to?: string;
      };
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccountHistory"];
        };
      };
    };
  };
  account_notices: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccountNotices"];
        };
      };
    };
  };
  account_number_add: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AddNumber"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_price: {
    parameters: {
      query: {
        /** @description The number that is called; empty without one. */
        called?: string;
        /** @description The network that the subscriber roams in; empty at home. */
        partner?: string;
        /** @description How much is used. */
        quantity: number;
        /** @description The service, as the plan names it. */
        service: string;
        /** @description The unit of this: `seconds`, `octets` or `events`. By default, the one that the plan counts the service in. */
        unit?: components["schemas"]["AmountUnit"];
      };
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PriceEnquiry"];
        };
      };
    };
  };
  account_refill: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RefillAccount"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Moved"];
        };
      };
    };
  };
  account_refusals: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccountRefusals"];
        };
      };
    };
  };
  account_session_end: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
        /** @description The key of the session: 32 hexadecimal digits. */
        session: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EndSession"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndedSession"];
        };
      };
    };
  };
  account_standing: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetStanding"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_type: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetSubscriberType"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  account_transfer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the sender, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TransferAmount"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Transferred"];
        };
      };
    };
  };
  account_trial: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SendTrialRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TrialAnswer"];
        };
      };
    };
  };
  voucher_use: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A number of the subscriber, or `#` and the number of the account. */
        account: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UseVoucher"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UsedVoucher"];
        };
      };
    };
  };
  action_list: {
    parameters: {
      query?: {
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Only those of this name. */
        action?: string;
        /** @description Only those about this key, such as a number. It needs the role that sees subscriber data. */
        key?: string;
        /** @description Only those that wait for people or for the other side. */
        open?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ActionList"];
        };
      };
    };
  };
  action_approve: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApproveActions"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedActions"];
        };
      };
    };
  };
  action_refuse: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RefuseActions"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedActions"];
        };
      };
    };
  };
  action_resume: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ResumeActions"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoppedActions"];
        };
      };
    };
  };
  action_stop: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StopActions"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoppedActions"];
        };
      };
    };
  };
  action_undo: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UndoActions"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedActions"];
        };
      };
    };
  };
  alarms_list: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Whether to include alarms that are cleared. */
        all?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Alarms"];
        };
      };
    };
  };
  alarms_acknowledge: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcknowledgeAlarms"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedAlarms"];
        };
      };
    };
  };
  scripts_analyse: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The script's file, as the flow file names it, or the file of a script that no node runs yet. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AnalyseScript"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScriptAnalysis"];
        };
      };
    };
  };
  audit_report: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Whether each day (of UTC) has lines of its own. */
        by_day?: boolean;
        /** @description Whether each file has lines of its own. */
        by_file?: boolean;
        /** @description Only files of this name. */
        file?: string;
        /** @description Only files of this network element. */
        network_element?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AuditReport"];
        };
      };
    };
  };
  live_balance: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Balance"];
        };
      };
    };
  };
  charging_show: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChargingFigures"];
        };
      };
    };
  };
  account_approvals: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Approvals"];
        };
      };
    };
  };
  account_approve: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the request. */
        request: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApproveRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApprovalRequest"];
        };
      };
    };
  };
  account_reject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the request. */
        request: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RejectRequest"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApprovalRequest"];
        };
      };
    };
  };
  ledger_check: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CheckedBooks"];
        };
      };
    };
  };
  ledger_export: {
    parameters: {
      query?: {
        /** @description Only entries after this account's `after_entry`. */
        after_account?: number;
        /** @description The last entry of the page before. */
        after_entry?: number;
        /** @description Only entries from this time on: a day, which begins in UTC, or a time with its zone. */
        from?: string;
        /** @description The entries of a page, 10,000 at most. */
        limit?: number;
        /** @description Only entries before this time. */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ExportedBooks"];
        };
      };
    };
  };
  charging_messages: {
    parameters: {
      query?: {
        /** @description Puts them into a file, too: `pcapng` for Wireshark, or `xml`. */
        file?: components["schemas"]["MessageFile"];
        /** @description The newest of them, so many at most; 100 by default, and 1,000 at most. */
        limit?: number;
        /** @description Only messages of sessions of this number. */
        number?: string;
        /** @description Only messages of this peer. */
        peer?: string;
        /** @description Only messages of this session: its Session-Id, or the key that lists of sessions have. */
        session?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Messages"];
        };
      };
    };
  };
  charging_peers: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PeerList"];
        };
      };
    };
  };
  charging_peer_allow: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of its node: its Origin-Host. */
        peer: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AllowPeer"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PeerList"];
        };
      };
    };
  };
  charging_sessions: {
    parameters: {
      query?: {
        /** @description Only sessions after this one: the account and the session of the last one of the page before, with a hyphen between. */
        after?: string;
        /** @description Only sessions of this client of the charging system. */
        client?: string;
        /** @description The sessions of a page, 500 at most. */
        limit?: number;
        /** @description Only sessions whose number has these digits. */
        number?: string;
        /** @description Only sessions that began at least so many seconds ago. */
        older_than?: number;
        /** @description Only sessions of this service. */
        service?: string;
        /** @description Only sessions whose grants are no longer valid. */
        stuck?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Sessions"];
        };
      };
    };
  };
  ledger_sums: {
    parameters: {
      query?: {
        /** @description The beginning of the period: a day, which begins in UTC, or a time with its zone. Without it, all entries count. */
        from?: string;
        /** @description The end of the period, exclusive. */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SummedBooks"];
        };
      };
    };
  };
  charging_traces: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TraceList"];
        };
      };
    };
  };
  charging_trace_start: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StartTrace"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MessageTrace"];
        };
      };
    };
  };
  charging_trace_export: {
    parameters: {
      query?: {
        /** @description The form of the file: `pcapng` for Wireshark by default, or `xml`. */
        form?: components["schemas"]["MessageFile"];
        /** @description Where the part begins: 0, or the `next` of the part before. */
        from?: number;
      };
      header?: never;
      path: {
        /** @description The number of the trace. */
        trace: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TracePart"];
        };
      };
    };
  };
  charging_trace_end: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the trace. */
        trace: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EndTrace"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MessageTrace"];
        };
      };
    };
  };
  charging_trace_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the trace. */
        trace: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RemoveTrace"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TraceList"];
        };
      };
    };
  };
  charging_trail: {
    parameters: {
      query?: {
        /** @description Only entries before this one. */
        before?: number;
        /** @description The entries of a page, 500 at most. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChargingTrail"];
        };
      };
    };
  };
  charging_versions: {
    parameters: {
      query?: {
        /** @description Only versions before this one. */
        before?: number;
        /** @description The versions of a page, 500 at most. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChargingVersions"];
        };
      };
    };
  };
  charging_version_file: {
    parameters: {
      query: {
        /** @description The file, as the list of versions names it. */
        file: string;
      };
      header?: never;
      path: {
        /** @description The version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ShownVersionFile"];
        };
      };
    };
  };
  charging_version_restore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RestoreChargingVersion"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RestoredChargingVersion"];
        };
      };
    };
  };
  tariff_counters: {
    parameters: {
      query: {
        /**
         * @description The subscriber: the served number in international form, digits only, or the value of the
         *     node's `account`.
         */
        account: string;
        /** @description Only counters of this node. */
        node?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CountersOf"];
        };
      };
    };
  };
  tariff_counters_change: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChangeCounters"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedCounters"];
        };
      };
    };
  };
  tariff_counters_in_doubt: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DoubtedCounters"];
        };
      };
    };
  };
  deliveries_list: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Whether to include delivered and discarded files, if no `state` is given. */
        all?: boolean;
        /** @description Only deliveries whose last failure has this code. */
        code?: string;
        /** @description Only deliveries to this receiver. */
        post_processing_system?: string;
        /** @description Only deliveries in this state. */
        state?: components["schemas"]["DeliveryState"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Deliveries"];
        };
      };
    };
  };
  deliveries_discard: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiscardDeliveries"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DiscardedDeliveries"];
        };
      };
    };
  };
  deliveries_gathering: {
    parameters: {
      query?: {
        /** @description Only outputs for this receiver. */
        post_processing_system?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Gathering"];
        };
      };
    };
  };
  deliveries_retry: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RetryDeliveries"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RetriedDeliveries"];
        };
      };
    };
  };
  files_list: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /**
         * @description Only files that were not processed, for the reason with this code. The only one is `file-duplicate`; other
         *     codes are refused. Files that are refused as a whole are in another list, at `GET /api/files/refused`.
         */
        code?: string;
        /** @description Only files whose names contain this text. */
        name?: string;
        /** @description Only files of this network element. */
        network_element?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Files"];
        };
      };
    };
  };
  files_again: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AllowFilesAgain"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AllowedFiles"];
        };
      };
    };
  };
  files_refused: {
    parameters: {
      query?: {
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Only files that are refused for the reason with this code. */
        code?: string;
        /** @description Only files that are refused in this way. */
        kind?: components["schemas"]["RefusedFileKind"];
        /** @description Only files of this network element. */
        network_element?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefusedFiles"];
        };
      };
    };
  };
  flow_flow: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Flow"];
        };
      };
    };
  };
  versions_consequences: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ShowConsequences"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Consequences"];
        };
      };
    };
  };
  flow_edit: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EditFlow"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Edited"];
        };
      };
    };
  };
  flow_look: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CheckFlow"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Looked"];
        };
      };
    };
  };
  versions_list: {
    parameters: {
      query?: {
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Versions"];
        };
      };
    };
  };
  versions_save: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SaveVersion"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Saved"];
        };
      };
    };
  };
  versions_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VersionContent"];
        };
      };
    };
  };
  versions_activate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActivateVersion"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Activated"];
        };
      };
    };
  };
  versions_reject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RejectProposal"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RejectedProposal"];
        };
      };
    };
  };
  fraud_about: {
    parameters: {
      query: {
        /** @description The key, such as a number. */
        key: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudSubject"];
        };
      };
    };
  };
  fraud_alerts: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Only alerts about this key, such as a number. It needs the role that sees subscriber data. */
        key?: string;
        /** @description Only alerts of this node. */
        node?: string;
        /** @description Only alerts of this rule. */
        rule?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudAlerts"];
        };
      };
    };
  };
  fraud_cases: {
    parameters: {
      query?: {
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Only cases that are assigned to this user. */
        assigned?: string;
        /** @description Only cases about this key, such as a number. It needs the role that sees subscriber data. */
        key?: string;
        /** @description Only cases with an alert of this rule. */
        rule?: string;
        /** @description Open cases, the default, decided ones, or all. */
        state?: components["schemas"]["CaseState"];
        /** @description Only cases that are assigned to no one. */
        unassigned?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudCases"];
        };
      };
    };
  };
  fraud_assign: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AssignFraudCases"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedFraudCases"];
        };
      };
    };
  };
  fraud_decide: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DecideFraudCases"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedFraudCases"];
        };
      };
    };
  };
  fraud_case: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its number. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WholeFraudCase"];
        };
      };
    };
  };
  action_request: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the case. */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RequestAction"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedActions"];
        };
      };
    };
  };
  fraud_remark: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its number. */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RemarkFraudCase"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedFraudCases"];
        };
      };
    };
  };
  fraud_reopen: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its number. */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReopenFraudCase"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedFraudCases"];
        };
      };
    };
  };
  fraud_unmask: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its number. */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UnmaskFraudCase"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WholeFraudCase"];
        };
      };
    };
  };
  fraud_forget: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ForgetFraudSubject"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ForgottenFraudSubject"];
        };
      };
    };
  };
  fraud_lists: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudLists"];
        };
      };
    };
  };
  fraud_list_show: {
    parameters: {
      query?: {
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
        /** @description Only entries that never mattered, or whose time is over. */
        dead?: boolean;
        /** @description Only entries that are for this key, also those for all keys that begin so. It needs the role that sees subscriber data. */
        key?: string;
        /** @description The fraud node, if several have lists of their own. */
        node?: string;
      };
      header?: never;
      path: {
        /** @description Its name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudList"];
        };
      };
    };
  };
  fraud_list_add: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the list. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AddToFraudList"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedFraudList"];
        };
      };
    };
  };
  fraud_list_import: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the list. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ImportFraudList"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ImportedFraudList"];
        };
      };
    };
  };
  fraud_list_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the list. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RemoveFromFraudList"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedFraudList"];
        };
      };
    };
  };
  fraud_records: {
    parameters: {
      query: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description The place to go on at: `next` of the answer before. */
        after?: string;
        /** @description The key, such as a number. */
        key: string;
        /** @description The maximum number of records. Default 50, at most 500. */
        limit?: number;
        /** @description The node. It may be left out if one node alone has an index. */
        node?: string;
        /** @description Which are first. Default `newest`. */
        order?: components["schemas"]["RecordsOrder"];
        /** @description Only records of which the key is this, such as `caller`. */
        subject?: string;
        /** @description `false` leaves out the values, which takes less time. */
        values?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudRecords"];
        };
      };
    };
  };
  fraud_report: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description What there is a row for. Default `day`. */
        by?: components["schemas"]["ReportBy"];
        /** @description Only of this node. */
        node?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudReport"];
        };
      };
    };
  };
  fraud_rule_files: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudRuleFiles"];
        };
      };
    };
  };
  fraud_rule_file: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file, with the folder as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudRuleText"];
        };
      };
    };
  };
  fraud_put_rule_file: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file, with the folder as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PutFraudRuleFile"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Activated"];
        };
      };
    };
  };
  fraud_check_rule_file: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file, with the folder as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CheckFraudRuleFile"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CheckedFraudRuleFile"];
        };
      };
    };
  };
  fraud_rules: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FraudRules"];
        };
      };
    };
  };
  fraud_activate: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApproveFraudRule"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApprovedFraudRule"];
        };
      };
    };
  };
  live_history: {
    parameters: {
      query?: {
        /** @description The length of the period up to now, in minutes. Default 60, at most 43200, which is 30 days. */
        minutes?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["History"];
        };
      };
    };
  };
  live_live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": components["schemas"]["LiveEvent"];
        };
      };
    };
  };
  matching_list: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only groups with a greater number: pass the number of the last group of the page before. */
        after?: number;
        /**
         * @description Only groups with this key. With a key, the list includes released groups that the gateway
         *     still remembers. It needs the role that sees subscriber data.
         */
        key?: string;
        /** @description The maximum number of groups. Default 50, at most 1000. */
        limit?: number;
        /** @description Only groups of this node. */
        node?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MatchingGroups"];
        };
      };
    };
  };
  matching_end: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EndMatching"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MatchingEnded"];
        };
      };
    };
  };
  matching_nodes: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MatchingNodes"];
        };
      };
    };
  };
  matching_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the group. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MatchingGroup"];
        };
      };
    };
  };
  modules_show: {
    parameters: {
      query: {
        /** @description The module's file, as the flow file names it. */
        file: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Module"];
        };
      };
    };
  };
  account_number_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number. */
        number: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RemoveNumber"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PrepaidAccount"];
        };
      };
    };
  };
  session_password: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Passwords"];
      };
    };
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  people_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["People"];
        };
      };
    };
  };
  people_invite: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["InvitePerson"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Link"];
        };
      };
    };
  };
  people_role: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetRole"];
      };
    };
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  people_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  people_link: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The user. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Link"];
        };
      };
    };
  };
  files_records: {
    parameters: {
      query?: {
        /** @description The place to go on at: `at` of `next` of the answer before. */
        at?: string;
        /** @description The number of a delivery: the file that is or was delivered. */
        delivery?: number;
        /** @description Only records that have a part with this name or path: `servedIMSI`, `location.cell`. Case does not matter. */
        field?: string;
        /** @description With `network_element`: the name of the input file. It is the last one of this name, or one that waits. */
        file?: string;
        /** @description The number of a job: its input file, or with `post_processing_system` its output file. */
        job?: number;
        /** @description The maximum number of records. Default 20, at most 200. */
        limit?: number;
        /** @description The network element of the input file `file`. */
        network_element?: string;
        /** @description With `job`: the system that the output file was made for. */
        post_processing_system?: string;
        /** @description The number of the first record of the answer, from 1. Default 1. */
        record?: number;
        /**
         * @description Only records in which the value of that part contains this text. Without `field`: of any part. A search for
         *     subscriber data needs the role that sees it.
         */
        value?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FileRecords"];
        };
      };
    };
  };
  replay_show: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReplayState"];
        };
      };
    };
  };
  replay_start: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StartReplay"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReplayState"];
        };
      };
    };
  };
  replay_cancel: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  scripts_samples: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The script's file, as the flow file names it, or the file of a script that no node runs yet. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunSamples"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SampleRuns"];
        };
      };
    };
  };
  scripts_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Scripts"];
        };
      };
    };
  };
  scripts_begin: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BeginScript"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BegunScript"];
        };
      };
    };
  };
  scripts_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The script's file, as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Script"];
        };
      };
    };
  };
  scripts_put: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The script's file, as the flow file names it, or the file of a script that no node runs yet. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PutScript"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Activated"];
        };
      };
    };
  };
  scripts_check: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The script's file, as the flow file names it, or the file of a script that no node runs yet. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CheckScript"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CheckedScript"];
        };
      };
    };
  };
  sequence_report: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only files of this network element. */
        network_element?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SequenceReport"];
        };
      };
    };
  };
  sequence_accept: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcceptMissing"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AcceptedNumbers"];
        };
      };
    };
  };
  session_session: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionBody"];
        };
      };
    };
  };
  suspense_list: {
    parameters: {
      query?: {
        /** @description Only records whose error has this code. */
        code?: string;
        /** @description Only records of files with this name. */
        file?: string;
        /** @description Only records of files that were done at this time or later. */
        from?: components["schemas"]["Moment"];
        /** @description Only records of this network element. */
        network_element?: string;
        /** @description Only records that this node or system refused; empty for records that could not be decoded. */
        node?: string;
        /** @description Only records whose error contains this text. Needs the role that sees subscriber data. */
        reason?: string;
        /** @description Only so many records, the oldest. */
        records_max?: number;
        /** @description Only records in this state. Requests that change records are for records in one state, and refuse any other. */
        state?: components["schemas"]["StateFilter"];
        /** @description Only records with this error, whatever its values: the `template` of a group of records. */
        template?: string;
        /** @description Only records of files that were done before this time. */
        to?: components["schemas"]["Moment"];
        /** @description Only records with this number or a smaller one. It excludes records that arrived after a list was shown. */
        up_to?: number;
        /** @description Only records with this value in their error. Needs the role that sees subscriber data. */
        value?: string;
        /** @description Only records that are in suspense for this reason. */
        why?: components["schemas"]["SuspenseReason"];
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Records"];
        };
      };
    };
  };
  suspense_alike: {
    parameters: {
      query?: {
        /** @description Only records whose error has this code. */
        code?: string;
        /** @description Only records of files with this name. */
        file?: string;
        /** @description Only records of files that were done at this time or later. */
        from?: components["schemas"]["Moment"];
        /** @description Only records of this network element. */
        network_element?: string;
        /** @description Only records that this node or system refused; empty for records that could not be decoded. */
        node?: string;
        /** @description Only records whose error contains this text. Needs the role that sees subscriber data. */
        reason?: string;
        /** @description Only so many records, the oldest. */
        records_max?: number;
        /** @description Only records in this state. Requests that change records are for records in one state, and refuse any other. */
        state?: components["schemas"]["StateFilter"];
        /** @description Only records with this error, whatever its values: the `template` of a group of records. */
        template?: string;
        /** @description Only records of files that were done before this time. */
        to?: components["schemas"]["Moment"];
        /** @description Only records with this number or a smaller one. It excludes records that arrived after a list was shown. */
        up_to?: number;
        /** @description Only records with this value in their error. Needs the role that sees subscriber data. */
        value?: string;
        /** @description Only records that are in suspense for this reason. */
        why?: components["schemas"]["SuspenseReason"];
        /** @description The maximum number of groups. Default 50, at most 1000. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Groups"];
        };
      };
    };
  };
  suspense_discard: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DiscardRecords"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Discarded"];
        };
      };
    };
  };
  suspense_nodes: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SuspenseNodes"];
        };
      };
    };
  };
  suspense_reopen: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReopenRecords"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Reopened"];
        };
      };
    };
  };
  suspense_retry: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RetryRecords"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RetriedRecords"];
        };
      };
    };
  };
  suspense_retry_take_back: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TakeBackRetries"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TakenBack"];
        };
      };
    };
  };
  suspense_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the record. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SuspendedRecordDetail"];
        };
      };
    };
  };
  suspense_edit: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the record. */
        id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EditRecord"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EditedRecord"];
        };
      };
    };
  };
  tariff_load: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TariffLoad"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffLoaded"];
        };
      };
    };
  };
  tariff_check: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TariffChecked"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffFound"];
        };
      };
    };
  };
  tariff_files: {
    parameters: {
      query: {
        /**
         * @description The plan, as the flow file names it, or the name of a database in the folder of the flow
         *     file: `prices.db`.
         */
        plan: string;
      };
      header?: never;
      path: {
        /** @description The number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffFiles"];
        };
      };
    };
  };
  tariff_withdraw: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TariffWithdraw"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WithdrawnTariff"];
        };
      };
    };
  };
  tariff_file: {
    parameters: {
      query: {
        /**
         * @description The plan, as the flow file names it, or the name of a database in the folder of the flow
         *     file: `prices.db`.
         */
        plan: string;
      };
      header?: never;
      path: {
        /** @description The name of the file: `prices.csv`. */
        file: string;
        /** @description The number of the version. */
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffFileText"];
        };
      };
    };
  };
  tariff_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tariffs"];
        };
      };
    };
  };
  tariff_explain: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TariffUsage"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffExplained"];
        };
      };
    };
  };
  tariff_table: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file, with the folder as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TariffText"];
        };
      };
    };
  };
  tariff_put: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file, with the folder as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PutTariffTable"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Activated"];
        };
      };
    };
  };
  tariff_check_table: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The file, with the folder as the flow file names it. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CheckTariffTable"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CheckedTable"];
        };
      };
    };
  };
  scripts_test: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The script's file, as the flow file names it, or the file of a script that no node runs yet. */
        file: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TestScript"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ScriptTests"];
        };
      };
    };
  };
  token_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tokens"];
        };
      };
    };
  };
  token_make: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MakeToken"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MadeToken"];
        };
      };
    };
  };
  token_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The token's number. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  trace_records: {
    parameters: {
      query?: {
        /** @description With `where`: the place to go on at, from `next` of the answer before. */
        after?: string;
        /** @description The name of an input file. With `where`: a pattern with `*` and `?`. */
        file?: string;
        /** @description With `where`: only files that were done at this time or later. */
        from?: components["schemas"]["Moment"];
        /** @description With `where`: the maximum number of records in the answer. Default 20, at most 100. */
        limit?: number;
        /** @description The network element of the input file, if several have files of that name. */
        network_element?: string;
        /** @description The offset of one of the record's octets in the file, in place of `record`. */
        offset?: number;
        /** @description The name or path of an output file, in place of `file`. */
        output?: string;
        /** @description The number of the record in the file, from 1. */
        record?: number;
        /** @description With `where`: only files that were done before this time. */
        to?: components["schemas"]["Moment"];
        /** @description In place of `record`: traces all records for which this expression over `record` is TRUE. */
        where?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Traces"];
        };
      };
    };
  };
  trail_list: {
    parameters: {
      query?: {
        /**
         * @description The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
         *     (`2026-11-21T14:05:00Z`).
         */
        from?: components["schemas"]["Moment"];
        /** @description The end of the period, exclusive; written like `from`. */
        to?: components["schemas"]["Moment"];
        /** @description Only entries with a greater number, the oldest first: pass the number of the last entry that you have. */
        after?: number;
        /** @description Only entries with a smaller number: pass the number of the last entry of the page before. */
        before?: number;
        /** @description The maximum number of entries. Default 50, at most 1000. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Trail"];
        };
      };
    };
  };
  voucher_activate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The batch. */
        batch: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActivateVouchers"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedVouchers"];
        };
      };
    };
  };
  voucher_block: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The batch. */
        batch: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BlockVouchers"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChangedVouchers"];
        };
      };
    };
  };
  voucher_make: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MakeVouchers"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MadeVouchers"];
        };
      };
    };
  };
  voucher_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Its serial number. */
        serial: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ShownVoucher"];
        };
      };
    };
  };
  session_login: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Login"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionBody"];
        };
      };
    };
  };
  session_logout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  session_welcome: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Welcome"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionBody"];
        };
      };
    };
  };
  session_look_at_link: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LinkLooked"];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Invited"];
        };
      };
    };
  };
}
