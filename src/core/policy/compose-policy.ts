import type { Feature } from '../lifecycle.ts';
import { PolicyService, type PolicyServiceDeps } from './policy-service.ts';

/** Wires the tool policy and the guards. */
export async function composePolicy(deps: PolicyServiceDeps): Promise<Feature<{ policy: PolicyService }>> {
  return { services: { policy: await PolicyService.load(deps) } };
}
