#include "avps.h"

static int find(const char *name, struct dict_object **model)
{
	return fd_dict_search(fd_g_config->cnf_dict, DICT_AVP, AVP_BY_NAME_ALL_VENDORS, name, model, ENOENT);
}

int find_models(struct models *models)
{
	const struct {
		const char *name;
		struct dict_object **model;
	} avps[] = {
		{ "Session-Id", &models->session_id },
		{ "Origin-Host", &models->origin_host },
		{ "Origin-Realm", &models->origin_realm },
		{ "Destination-Realm", &models->destination_realm },
		{ "Auth-Application-Id", &models->auth_application_id },
		{ "Event-Timestamp", &models->event_timestamp },
		{ "Service-Context-Id", &models->service_context_id },
		{ "CC-Request-Type", &models->cc_request_type },
		{ "CC-Request-Number", &models->cc_request_number },
		{ "Subscription-Id", &models->subscription_id },
		{ "Subscription-Id-Type", &models->subscription_id_type },
		{ "Subscription-Id-Data", &models->subscription_id_data },
		{ "Multiple-Services-Credit-Control", &models->services },
		{ "Rating-Group", &models->rating_group },
		{ "Requested-Service-Unit", &models->requested_units },
		{ "Used-Service-Unit", &models->used_units },
		{ "Granted-Service-Unit", &models->granted_units },
		{ "CC-Total-Octets", &models->total_octets },
		{ "Validity-Time", &models->validity_time },
		{ "Result-Code", &models->result_code },
	};
	struct dictionary *dictionary = fd_g_config->cnf_dict;
	application_id_t application = APPLICATION;

	for (size_t place = 0; place < sizeof avps / sizeof *avps; place++)
		CHECK_FCT(find(avps[place].name, avps[place].model));
	CHECK_FCT(fd_dict_search(dictionary, DICT_APPLICATION, APPLICATION_BY_ID, &application, &models->application, ENOENT));
	return fd_dict_search(dictionary, DICT_COMMAND, CMD_BY_NAME, "Credit-Control-Request", &models->request, ENOENT);
}

static int add(msg_or_avp *to, struct dict_object *model, union avp_value value)
{
	struct avp *avp;

	CHECK_FCT(fd_msg_avp_new(model, 0, &avp));
	CHECK_FCT(fd_msg_avp_setvalue(avp, &value));
	return fd_msg_avp_add(to, MSG_BRW_LAST_CHILD, avp);
}

int add_u32(msg_or_avp *to, struct dict_object *model, uint32_t value)
{
	return add(to, model, (union avp_value){ .u32 = value });
}

int add_i32(msg_or_avp *to, struct dict_object *model, int32_t value)
{
	return add(to, model, (union avp_value){ .i32 = value });
}

int add_u64(msg_or_avp *to, struct dict_object *model, uint64_t value)
{
	return add(to, model, (union avp_value){ .u64 = value });
}

int add_text(msg_or_avp *to, struct dict_object *model, const char *text)
{
	return add(to, model, (union avp_value){ .os = { .data = (uint8_t *)text, .len = strlen(text) } });
}

int add_group(msg_or_avp *to, struct dict_object *model, struct avp **group)
{
	CHECK_FCT(fd_msg_avp_new(model, 0, group));
	return fd_msg_avp_add(to, MSG_BRW_LAST_CHILD, *group);
}
