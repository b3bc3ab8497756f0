import type { SecretBox } from '../secrets/secret-box.ts';
import type { NotifyDeliveryRow } from '../storage/rows/gateway.ts';

type Headers = Record<string, string>;
type Delivery = Pick<NotifyDeliveryRow, 'id' | 'headers'>;

const contextOf = ({ id }: Pick<Delivery, 'id'>) => `notify ${id}`;

/** Seals the headers by which a receiver recognizes its notification; null where there are none. */
export const sealHeaders = (box: SecretBox, id: string, headers: Headers): string | null =>
  Object.keys(headers).length === 0 ? null : box.seal(JSON.stringify(headers), contextOf({ id }));

/** The headers that a delivery carries besides its signature. */
export const openHeaders = (box: SecretBox, delivery: Delivery): Headers =>
  delivery.headers === null ? {} : (JSON.parse(box.open(delivery.headers, contextOf(delivery))) as Headers);
