/* A server of credit control: an extension of freeDiameter, for `make bench-diameter`. It answers and charges nothing. */
#include <stdbool.h>

#include "avps.h"

/* What is granted, and for how many seconds. */
#define GRANTED_OCTETS 1000000
#define VALIDITY 600
#define SUCCESS 2001

static struct models models;

/* Returns the number of an AVP of a message, whose type has 32 bits. */
static int number_of(struct msg *message, struct dict_object *model, uint32_t *number)
{
	struct avp *avp;
	struct avp_hdr *header;

	CHECK_FCT(fd_msg_search_avp(message, model, &avp));
	if (avp == NULL)
		return ENOENT;
	CHECK_FCT(fd_msg_avp_hdr(avp, &header));
	*number = header->avp_value->u32;
	return 0;
}

/* Returns whether an AVP is the one of a model. */
static bool is(struct avp *avp, struct dict_object *of)
{
	struct dict_object *model;

	return fd_msg_model(avp, &model) == 0 && model == of;
}

static int rating_group_of(struct avp *service, uint32_t *group)
{
	struct avp *member;
	struct avp_hdr *header;

	*group = 0;
	CHECK_FCT(fd_msg_browse(service, MSG_BRW_FIRST_CHILD, &member, NULL));
	while (member != NULL && !is(member, models.rating_group)) {
		CHECK_FCT(fd_msg_browse(member, MSG_BRW_NEXT, &member, NULL));
	}
	if (member != NULL) {
		CHECK_FCT(fd_msg_avp_hdr(member, &header));
		*group = header->avp_value->u32;
	}
	return 0;
}

static int add_service(struct msg *answer, uint32_t rating_group)
{
	struct avp *service, *units;

	CHECK_FCT(add_group(answer, models.services, &service));
	CHECK_FCT(add_group(service, models.granted_units, &units));
	CHECK_FCT(add_u64(units, models.total_octets, GRANTED_OCTETS));
	CHECK_FCT(add_u32(service, models.validity_time, VALIDITY));
	CHECK_FCT(add_u32(service, models.rating_group, rating_group));
	return add_u32(service, models.result_code, SUCCESS);
}

/* Grants each service of a request what it wants. */
static int add_services(struct msg *answer, struct msg *request)
{
	struct avp *avp;
	uint32_t group;

	CHECK_FCT(fd_msg_browse(request, MSG_BRW_FIRST_CHILD, &avp, NULL));
	while (avp != NULL) {
		if (is(avp, models.services)) {
			CHECK_FCT(rating_group_of(avp, &group));
			CHECK_FCT(add_service(answer, group));
		}
		CHECK_FCT(fd_msg_browse(avp, MSG_BRW_NEXT, &avp, NULL));
	}
	return 0;
}

/* Answers a request. The library copies the Session-Id, and its answer has its request until it is sent. */
static int grant(struct msg **message, struct avp *avp, struct session *session, void *opaque, enum disp_action *action)
{
	struct msg *request = *message;
	uint32_t kind, number;

	CHECK_FCT(number_of(request, models.cc_request_type, &kind));
	CHECK_FCT(number_of(request, models.cc_request_number, &number));
	CHECK_FCT(fd_msg_new_answer_from_req(fd_g_config->cnf_dict, message, 0));
	CHECK_FCT(fd_msg_rescode_set(*message, "DIAMETER_SUCCESS", NULL, NULL, 1));
	CHECK_FCT(add_u32(*message, models.auth_application_id, APPLICATION));
	CHECK_FCT(add_i32(*message, models.cc_request_type, (int32_t)kind));
	CHECK_FCT(add_u32(*message, models.cc_request_number, number));
	CHECK_FCT(add_services(*message, request));
	*action = DISP_ACT_SEND;
	return 0;
}

/* Without a hook for them, the daemon makes a text of each message and of where it goes, whether that is logged or not. */
static void note_nothing(enum fd_hook_type type, struct msg *message, struct peer_hdr *peer, void *other,
	struct fd_hook_permsgdata *of_message, void *data)
{
}

static int start(char *settings)
{
	struct disp_when when = { 0 };
	struct fd_hook_hdl *hook;
	uint32_t of_messages = HOOK_MASK(HOOK_MESSAGE_RECEIVED, HOOK_MESSAGE_SENT, HOOK_MESSAGE_ROUTING_LOCAL);

	CHECK_FCT(find_models(&models));
	when.app = models.application;
	when.command = models.request;
	CHECK_FCT(fd_hook_register(of_messages, note_nothing, NULL, NULL, &hook));
	CHECK_FCT(fd_disp_register(grant, DISP_HOW_CC, &when, NULL, NULL));
	return fd_disp_app_support(models.application, NULL, 1, 0);
}

EXTENSION_ENTRY("bench_server", start, "dict_dcca");
