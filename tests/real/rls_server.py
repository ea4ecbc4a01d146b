"""Envoy's rate limit service with fixed windows of the clock, by grpcio. Prints its port.

rls_server.py KIND LIMIT WINDOW_MS [CERTIFICATES]

KIND: `sound`; `generous` admits one more; `deaf` does not look at hits_addend; or the name of a
status of gRPC, which it answers always. The messages are described here and not taken from rlctl.
"""
import sys
import threading
import time
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, duration_pb2
from google.protobuf import message_factory

Field = descriptor_pb2.FieldDescriptorProto
KIND, LIMIT, WINDOW_MS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

MESSAGES = {
    'Entry': [('key', 1, 'string'), ('value', 2, 'string')],
    'Descriptor': [('entries', 1, ['Entry'])],
    'Request': [('domain', 1, 'string'), ('descriptors', 2, ['Descriptor']),
                ('hits_addend', 3, 'uint32')],
    'RateLimit': [('requests_per_unit', 1, 'uint32'), ('unit', 2, 'uint32')],
    'Status': [('code', 1, 'uint32'), ('current_limit', 2, 'RateLimit'),
               ('limit_remaining', 3, 'uint32'),
               ('duration_until_reset', 4, '.google.protobuf.Duration')],
    'Response': [('overall_code', 1, 'uint32'), ('statuses', 2, ['Status'])],
}


def add_field(message, name, number, kind):
    is_list = isinstance(kind, list)
    kind = kind[0] if is_list else kind
    field = message.field.add(name=name, number=number)
    field.label = Field.LABEL_REPEATED if is_list else Field.LABEL_OPTIONAL
    field.type = {'string': Field.TYPE_STRING, 'uint32': Field.TYPE_UINT32}.get(
        kind, Field.TYPE_MESSAGE)
    if field.type == Field.TYPE_MESSAGE:
        field.type_name = kind if kind.startswith('.') else '.rls.' + kind


def message_classes():
    file = descriptor_pb2.FileDescriptorProto(name='rls.proto', package='rls', syntax='proto3')
    file.dependency.append('google/protobuf/duration.proto')
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field in fields:
            add_field(message, *field)
    pool = descriptor_pool.Default()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return [factory.GetPrototype(pool.FindMessageTypeByName('rls.' + name))
            for name in ('Request', 'Response')]


Request, Response = message_classes()
counts = {}
lock = threading.Lock()


def decide(domain, descriptor, hits, response):
    now_us = time.time_ns() // 1000
    window, at_us = divmod(now_us, WINDOW_MS * 1000)
    key = (domain, tuple((entry.key, entry.value) for entry in descriptor.entries), window)
    used = counts.get(key, 0)
    admitted = used + hits <= LIMIT + (KIND == 'generous')
    if admitted:
        counts[key] = used = used + hits
    left_us = WINDOW_MS * 1000 - at_us
    status = response.statuses.add(code=1 if admitted else 2,
                                   limit_remaining=max(0, LIMIT - used))
    status.current_limit.requests_per_unit = LIMIT
    status.duration_until_reset.CopyFrom(
        duration_pb2.Duration(seconds=left_us // 10**6, nanos=left_us % 10**6 * 1000))
    return admitted


def should_rate_limit(request, context):
    if hasattr(grpc.StatusCode, KIND):
        context.abort(getattr(grpc.StatusCode, KIND), 'as it was told')
    hits = 1 if KIND == 'deaf' else request.hits_addend or 1
    response = Response(overall_code=1)
    with lock:
        for descriptor in request.descriptors:
            if not decide(request.domain, descriptor, hits, response):
                response.overall_code = 2
    return response


server = grpc.server(futures.ThreadPoolExecutor(8))
handler = grpc.unary_unary_rpc_method_handler(
    should_rate_limit, Request.FromString, Response.SerializeToString)
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
    'envoy.service.ratelimit.v3.RateLimitService', {'ShouldRateLimit': handler}),))
if len(sys.argv) > 4:
    pair = [open(sys.argv[4] + name, 'rb').read() for name in ('key.pem', 'cert.pem')]
    port = server.add_secure_port('127.0.0.1:0', grpc.ssl_server_credentials([pair]))
else:
    port = server.add_insecure_port('127.0.0.1:0')
server.start()
print(port, flush=True)
server.wait_for_termination()
