import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import { createOutboundFetch, type Outbound, type OutboundFetch } from './outbound-fetch.ts';
import { OwnAddress } from './own-address.ts';
import { Resolver } from './resolver.ts';

export interface OutboundServices {
  outbound: Outbound;
  fetch: OutboundFetch;
  /** For models' tools: also refuses the daemon's own API. */
  toolOutbound: Outbound;
  ownAddress: OwnAddress;
}

/** Wires all outbound requests except those to model providers. */
export function composeOutbound({ config }: { config: Config }): Feature<OutboundServices> {
  const allowedRanges = () => config.get('outbound.allowPrivate');
  const ownAddress = new OwnAddress(() => config.get('server.baseUrl'));
  const outbound = createOutboundFetch(allowedRanges);
  const toolOutbound = createOutboundFetch(allowedRanges, new Resolver(), ownAddress);
  return {
    services: { outbound, fetch: outbound.fetch, toolOutbound, ownAddress },
    lifecycle: { stop: () => Promise.all([outbound.close(), toolOutbound.close()]) },
  };
}
