/* A client of credit control: an extension of freeDiameter. It charges two sessions, and prints a line for each answer and each
 * request of the server. The second session has its last grant, and goes on when the server asks for that.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "avps.h"

#define MEGABYTE 1000000
#define UNABLE_TO_DELIVER 3002
/* The pause before a request is sent again, in microseconds. */
#define PAUSE 100000
#define SUCCESS "DIAMETER_SUCCESS"
#define LIMITED_SUCCESS "DIAMETER_LIMITED_SUCCESS"

enum kind { INITIAL = 1, UPDATE, TERMINATION };

struct credit {
	const char *session, *subscriber;
	uint32_t number;
};

static struct models models;
static struct dict_object *final_unit, *re_auth, *abort_session;
/* Posted by each answer, and by each request of the server. */
static sem_t answered, requested;
static uint32_t last_result;

static int add_units(struct avp *service, struct dict_object *model, uint64_t octets)
{
	struct avp *units;

	CHECK_FCT(add_group(service, model, &units));
	return add_u64(units, models.total_octets, octets);
}

static int add_service(struct msg *request, uint64_t used, uint64_t wanted)
{
	struct avp *service;

	CHECK_FCT(add_group(request, models.services, &service));
	if (used > 0)
		CHECK_FCT(add_units(service, models.used_units, used));
	if (wanted > 0)
		CHECK_FCT(add_units(service, models.requested_units, wanted));
	return add_u32(service, models.rating_group, 100);
}

static int make(struct credit *of, enum kind kind, struct msg **request)
{
	struct avp *subscription;

	CHECK_FCT(fd_msg_new(models.request, MSGFL_ALLOC_ETEID, request));
	CHECK_FCT(add_text(*request, models.session_id, of->session));
	CHECK_FCT(fd_msg_add_origin(*request, 0));
	CHECK_FCT(add_text(*request, models.destination_realm, "example.net"));
	CHECK_FCT(add_u32(*request, models.auth_application_id, APPLICATION));
	CHECK_FCT(add_text(*request, models.service_context_id, "32251@3gpp.org"));
	CHECK_FCT(add_i32(*request, models.cc_request_type, kind));
	CHECK_FCT(add_u32(*request, models.cc_request_number, of->number++));
	CHECK_FCT(add_group(*request, models.subscription_id, &subscription));
	CHECK_FCT(add_i32(subscription, models.subscription_id_type, 0));
	return add_text(subscription, models.subscription_id_data, of->subscriber);
}

/* Returns the first AVP of a model within a group, or NULL. */
static struct avp *member(msg_or_avp *group, struct dict_object *of)
{
	struct avp *avp = NULL;
	struct dict_object *model;

	if (group == NULL || fd_msg_browse(group, MSG_BRW_FIRST_CHILD, &avp, NULL) != 0)
		return NULL;
	while (avp != NULL && (fd_msg_model(avp, &model) != 0 || model != of)) {
		if (fd_msg_browse(avp, MSG_BRW_NEXT, &avp, NULL) != 0)
			return NULL;
	}
	return avp;
}

static union avp_value *value(struct avp *avp)
{
	static union avp_value none;
	struct avp_hdr *header;

	return avp != NULL && fd_msg_avp_hdr(avp, &header) == 0 ? header->avp_value : &none;
}

static void note_answer(void *session, struct msg **answer)
{
	struct avp *service = member(*answer, models.services);
	struct avp *granted = member(service, models.granted_units);

	last_result = value(member(*answer, models.result_code))->u32;
	printf("%s: result %u, granted %llu%s\n", (const char *)session, last_result,
		(unsigned long long)value(member(granted, models.total_octets))->u64,
		member(service, final_unit) != NULL ? ", the last" : "");
	fflush(stdout);
	fd_msg_free(*answer);
	*answer = NULL;
	sem_post(&answered);
}

static int ask(struct credit *of, enum kind kind, uint64_t used, uint64_t wanted)
{
	struct msg *request;

	CHECK_FCT(make(of, kind, &request));
	CHECK_FCT(add_service(request, used, wanted));
	CHECK_FCT(fd_msg_send(&request, note_answer, (void *)of->session));
	return sem_wait(&answered);
}

static int charge(void)
{
	struct credit rich = { "smf.example.net;1;1", "46701000001", 0 }, poor = { "smf.example.net;1;2", "46701000002", 0 };

	CHECK_FCT(fd_core_waitstartcomplete());
	/* Until it is connected, the daemon answers itself. */
	do {
		usleep(PAUSE);
		rich.number = 0;
		CHECK_FCT(ask(&rich, INITIAL, 0, MEGABYTE));
	} while (last_result == UNABLE_TO_DELIVER);
	CHECK_FCT(ask(&rich, UPDATE, 700000, MEGABYTE));
	CHECK_FCT(ask(&rich, TERMINATION, 300000, 0));
	CHECK_FCT(ask(&poor, INITIAL, 0, 10 * MEGABYTE));
	sem_wait(&requested);
	CHECK_FCT(ask(&poor, UPDATE, MEGABYTE, 10 * MEGABYTE));
	sem_wait(&requested);
	return ask(&poor, TERMINATION, MEGABYTE, 0);
}

static void *run(void *nothing)
{
	printf(charge() == 0 ? "all is charged\n" : "a request cannot be made\n");
	fflush(stdout);
	return nothing;
}

/* Answers a request of the server: its client goes on with the session, or ends it. */
static int answer(struct msg **message, struct avp *avp, struct session *session, void *result, enum disp_action *action)
{
	struct msg_hdr *header;

	CHECK_FCT(fd_msg_hdr(*message, &header));
	printf("the server sends the request %u\n", header->msg_code);
	fflush(stdout);
	CHECK_FCT(fd_msg_new_answer_from_req(fd_g_config->cnf_dict, message, 0));
	CHECK_FCT(fd_msg_rescode_set(*message, result, NULL, NULL, 1));
	*action = DISP_ACT_SEND;
	sem_post(&requested);
	return 0;
}

static int answers(struct dict_object *command, char *result)
{
	struct disp_when when = { .app = models.application, .command = command };

	return fd_disp_register(answer, DISP_HOW_CC, &when, result, NULL);
}

static int start(char *settings)
{
	struct dictionary *dictionary = fd_g_config->cnf_dict;
	pthread_t thread;

	CHECK_FCT(find_models(&models));
	CHECK_FCT(fd_dict_search(dictionary, DICT_AVP, AVP_BY_NAME_ALL_VENDORS, "Final-Unit-Indication", &final_unit, ENOENT));
	CHECK_FCT(fd_dict_search(dictionary, DICT_COMMAND, CMD_BY_NAME, "Re-Auth-Request", &re_auth, ENOENT));
	CHECK_FCT(fd_dict_search(dictionary, DICT_COMMAND, CMD_BY_NAME, "Abort-Session-Request", &abort_session, ENOENT));
	sem_init(&answered, 0, 0);
	sem_init(&requested, 0, 0);
	CHECK_FCT(answers(re_auth, LIMITED_SUCCESS));
	CHECK_FCT(answers(abort_session, SUCCESS));
	CHECK_FCT(fd_disp_app_support(models.application, NULL, 1, 0));
	return pthread_create(&thread, NULL, run, NULL);
}

EXTENSION_ENTRY("credit_client", start, "dict_dcca");
