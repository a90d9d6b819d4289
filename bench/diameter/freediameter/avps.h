/* The AVPs of requests and answers, as the dictionary of the daemon has them. */
#ifndef AVPS_H
#define AVPS_H

#include <freeDiameter/extension.h>

#define APPLICATION 4

struct models {
	struct dict_object *application, *request;
	struct dict_object *session_id, *origin_host, *origin_realm, *destination_realm, *auth_application_id, *event_timestamp;
	struct dict_object *service_context_id, *cc_request_type, *cc_request_number, *subscription_id, *subscription_id_type;
	struct dict_object *subscription_id_data, *services, *rating_group, *requested_units, *used_units, *granted_units;
	struct dict_object *total_octets, *validity_time, *result_code;
};

/* Finds them, once at the start. Returns an error number, as all functions of the library do. */
int find_models(struct models *models);

/* Append an AVP to a message or to a group. */
int add_u32(msg_or_avp *to, struct dict_object *model, uint32_t value);
int add_i32(msg_or_avp *to, struct dict_object *model, int32_t value);
int add_u64(msg_or_avp *to, struct dict_object *model, uint64_t value);
int add_text(msg_or_avp *to, struct dict_object *model, const char *text);

/* Appends a group without members, and returns it in `group`. */
int add_group(msg_or_avp *to, struct dict_object *model, struct avp **group);

#endif
