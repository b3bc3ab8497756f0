import type { Feature } from '../lifecycle.ts';
import type { A2aDeps, A2aService } from './a2a-service.ts';

type ComposeDeps = Omit<A2aDeps, 'requests' | 'notify'> & {
  gatewayRequests: A2aDeps['requests'];
  gatewayNotify: A2aDeps['notify'];
};

/** What other agents are served with (A2A); loaded at their first request. */
export function composeA2a(deps: ComposeDeps): Feature<{ loadA2a: () => Promise<A2aService> }> {
  const { gatewayRequests: requests, gatewayNotify: notify } = deps;
  let loading: Promise<A2aService> | undefined;
  const loadA2a = () =>
    (loading ??= import('./a2a-service.ts').then(
      ({ A2aService }) => new A2aService({ ...deps, requests, notify }),
    ));
  return { services: { loadA2a } };
}
