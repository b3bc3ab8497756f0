import type { Feature } from '../lifecycle.ts';
import { type HealthDeps, HealthService } from './health-service.ts';

/** Wires the health report. The last feature: it starts when all have started, and stops before any of them. */
export function composeHealth(deps: HealthDeps): Feature<{ health: HealthService }> {
  const health = new HealthService(deps);
  return {
    services: { health },
    lifecycle: {
      start: () => (health.phase = 'ready'),
      stop: () => (health.phase = 'stopping'),
    },
  };
}
