import type { FastifyInstance } from 'fastify';

/** A body that would have to be unpacked; what a body unpacks to is bounded by nothing that its sender sends. */
class EncodedBody extends Error {
  readonly statusCode = 415;
}

/** Refuses bodies with a Content-Encoding: their bytes would be read as if they were plain. */
export function refuseEncodedBodies(server: FastifyInstance): void {
  server.addHook('preParsing', (request, reply, _payload, done) => {
    const given = request.raw.headers['content-encoding'];
    if (given === undefined) return done();
    const encoding = given.trim().toLowerCase();
    if (encoding === 'identity' || encoding === '') return done();
    reply.header('accept-encoding', 'identity');
    done(new EncodedBody('The body must not be compressed: send it without Content-Encoding'));
  });
}
