import type { InboundDelivery } from '../../../contract/inbound.ts';
import type { IconName } from '../../components/icon-paths.ts';

type Status = InboundDelivery['status'];

/** How each outcome looks and what it is called. */
export const inboundLooks: Record<Status, { icon: IconName; word: string }> = {
  accepted: { icon: 'circle-check', word: 'Accepted' },
  ignored: { icon: 'ban', word: 'Ignored' },
  duplicate: { icon: 'copy', word: 'Repeated' },
  refused: { icon: 'circle-x', word: 'Refused' },
};

export const isInboundStatus = (text: string | undefined): text is Status =>
  text !== undefined && Object.hasOwn(inboundLooks, text);
