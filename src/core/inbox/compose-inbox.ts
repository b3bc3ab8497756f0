import type { Feature } from '../lifecycle.ts';
import { type InboxDeps, InboxService } from './inbox-service.ts';

/** Wires what people look at first. */
export function composeInbox(deps: InboxDeps): Feature<{ inbox: InboxService }> {
  return { services: { inbox: new InboxService(deps) } };
}
