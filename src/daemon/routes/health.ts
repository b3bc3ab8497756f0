import type { FastifyInstance } from 'fastify';
import { healthRoutes } from '../../contract/health.ts';
import type { App } from '../../core/app.ts';
import { metricFamilies, toPrometheus } from '../../core/health/prometheus.ts';
import { implement, TextAnswer } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerHealth(
  server: FastifyInstance,
  app: Pick<App, 'config' | 'exporter' | 'health' | 'membership' | 'metrics' | 'queue'>,
  check?: ResponseCheck,
): void {
  const { health, membership, metrics, queue } = app;
  const timestamp = () => new Date().toISOString();
  const prometheus = async () =>
    new TextAnswer(toPrometheus(metrics, await queue.status(), membership && { daemon: membership.name }));
  app.exporter?.addMetrics(async () => metricFamilies(metrics, await queue.status()));
  implement(
    server,
    healthRoutes,
    {
      get: () => ({ status: 'ok' as const, timestamp: timestamp() }),
      getDetailed: async (_, { reply }) => {
        const report = await health.report();
        if (report.status === 'unhealthy') reply.code(503);
        return report;
      },
      getReady: async (_, { reply }) => {
        const readiness = await health.readiness();
        if (readiness.status !== 'ready') reply.code(503);
        return { ...readiness, timestamp: timestamp() };
      },
      getMetrics: async (_, { request }) =>
        request.headers.accept?.includes('text/plain') ? prometheus() : metrics.requests.read(),
    },
    check,
  );
  // The default path that Prometheus scrapes.
  const isOpen = () => app.config.get('metrics.public');
  const config = {
    access: 'session',
    scopes: healthRoutes.getMetrics.scopes,
    openOnLoopback: isOpen,
  } as const;
  server.get('/metrics', { config }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send((await prometheus()).text),
  );
}
