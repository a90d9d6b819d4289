/* The codec of freeDiameter alone: requests of 11 AVPs are made, written and read, with the dictionary of the daemon.
 *
 * codec CONFIGURATION COUNT    prints the nanoseconds of one request, and the sum of all values
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "avps.h"

static struct models models;

static int add_time(struct msg *to, struct dict_object *model, time_t seconds)
{
	struct avp *avp;

	CHECK_FCT(fd_msg_avp_new(model, 0, &avp));
	CHECK_FCT(fd_msg_avp_value_encode(&seconds, avp));
	return fd_msg_avp_add(to, MSG_BRW_LAST_CHILD, avp);
}

static int add_units(struct avp *service, struct dict_object *model, uint64_t octets)
{
	struct avp *units;

	CHECK_FCT(add_group(service, model, &units));
	return add_u64(units, models.total_octets, octets);
}

/* Makes the request of a session that goes on. */
static int make_update(uint32_t number, struct msg **request)
{
	struct avp *subscription, *service;

	CHECK_FCT(fd_msg_new(models.request, MSGFL_ALLOC_ETEID, request));
	CHECK_FCT(add_text(*request, models.session_id, "load-0.example.net;1700000000;0000000000000001"));
	CHECK_FCT(add_text(*request, models.origin_host, "load-0.example.net"));
	CHECK_FCT(add_text(*request, models.origin_realm, "example.net"));
	CHECK_FCT(add_text(*request, models.destination_realm, "example.net"));
	CHECK_FCT(add_u32(*request, models.auth_application_id, APPLICATION));
	CHECK_FCT(add_text(*request, models.service_context_id, "32251@3gpp.org"));
	CHECK_FCT(add_i32(*request, models.cc_request_type, 2));
	CHECK_FCT(add_u32(*request, models.cc_request_number, number));
	CHECK_FCT(add_time(*request, models.event_timestamp, 1700000000));
	CHECK_FCT(add_group(*request, models.subscription_id, &subscription));
	CHECK_FCT(add_i32(subscription, models.subscription_id_type, 0));
	CHECK_FCT(add_text(subscription, models.subscription_id_data, "46701000001"));
	CHECK_FCT(add_group(*request, models.services, &service));
	CHECK_FCT(add_units(service, models.requested_units, 1000000));
	CHECK_FCT(add_units(service, models.used_units, 500000));
	return add_u32(service, models.rating_group, 100);
}

static int add_values(msg_or_avp *of, uint64_t *sum);

/* Adds the value of an AVP: a number, the length of a text, or what the members of a group have. */
static int add_value(struct avp *avp, uint64_t *sum)
{
	struct dict_object *model;
	struct dict_avp_data of_model;
	struct avp_hdr *header;
	time_t seconds;

	CHECK_FCT(fd_msg_model(avp, &model));
	CHECK_FCT(fd_msg_avp_hdr(avp, &header));
	if (model == models.event_timestamp) {
		CHECK_FCT(fd_msg_avp_value_interpret(avp, &seconds));
		*sum += (uint64_t)seconds;
		return 0;
	}
	CHECK_FCT(fd_dict_getval(model, &of_model));
	switch (of_model.avp_basetype) {
	case AVP_TYPE_GROUPED:
		return add_values(avp, sum);
	case AVP_TYPE_OCTETSTRING:
		*sum += header->avp_value->os.len;
		return 0;
	case AVP_TYPE_INTEGER32:
	case AVP_TYPE_UNSIGNED32:
		*sum += header->avp_value->u32;
		return 0;
	case AVP_TYPE_UNSIGNED64:
		*sum += header->avp_value->u64;
		return 0;
	default:
		return EINVAL;
	}
}

/* Adds all values of a message or of a group. */
static int add_values(msg_or_avp *of, uint64_t *sum)
{
	struct avp *avp;

	CHECK_FCT(fd_msg_browse(of, MSG_BRW_FIRST_CHILD, &avp, NULL));
	while (avp != NULL) {
		CHECK_FCT(add_value(avp, sum));
		CHECK_FCT(fd_msg_browse(avp, MSG_BRW_NEXT, &avp, NULL));
	}
	return 0;
}

/* Writes and reads a request. The buffer belongs to the message that is read from it. */
static int write_and_read(uint32_t number, uint64_t *sum)
{
	struct msg *request;
	uint8_t *octets;
	size_t length;

	CHECK_FCT(make_update(number, &request));
	CHECK_FCT(fd_msg_bufferize(request, &octets, &length));
	CHECK_FCT(fd_msg_free(request));
	CHECK_FCT(fd_msg_parse_buffer(&octets, length, &request));
	CHECK_FCT(fd_msg_parse_dict(request, fd_g_config->cnf_dict, NULL));
	CHECK_FCT(add_values(request, sum));
	return fd_msg_free(request);
}

static int measure(uint32_t count, double *nanoseconds, uint64_t *sum)
{
	struct timespec start, end;

	CHECK_FCT(find_models(&models));
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (uint32_t number = 0; number < count; number++)
		CHECK_FCT(write_and_read(number, sum));
	clock_gettime(CLOCK_MONOTONIC, &end);
	*nanoseconds = ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / count;
	return 0;
}

int main(int count, char **arguments)
{
	double nanoseconds = 0;
	uint64_t sum = 0;

	if (count != 3) {
		fprintf(stderr, "usage: codec CONFIGURATION COUNT\n");
		return EXIT_FAILURE;
	}
	fd_g_debug_lvl = FD_LOG_ERROR;
	if (fd_core_initialize() != 0 || fd_core_parseconf(arguments[1]) != 0) {
		fprintf(stderr, "%s cannot be used\n", arguments[1]);
		return EXIT_FAILURE;
	}
	if (measure((uint32_t)strtoul(arguments[2], NULL, 10), &nanoseconds, &sum) != 0) {
		fprintf(stderr, "a request could not be written and read\n");
		return EXIT_FAILURE;
	}
	printf("%.1f %lu\n", nanoseconds, (unsigned long)sum);
	fflush(stdout);
	/* The threads of the library have nothing to end. */
	_exit(EXIT_SUCCESS);
}
