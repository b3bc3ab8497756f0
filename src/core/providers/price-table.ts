import type { ListedPrice, Price } from '../../contract/prices.ts';
import { listPrices } from './list-prices.ts';
import { presentOf } from './model-prices.ts';

/** All known prices by name: the list prices of the vendors, and those of the settings, which replace them. */
export function priceTable(configured: Readonly<Record<string, Price>>, now: Date): ListedPrice[] {
  const table = new Map<string, ListedPrice>();
  for (const { provider, source, asOf, models } of listPrices)
    for (const [id, price] of Object.entries(models)) {
      const model = `${provider}/${id}`;
      table.set(model, { model, ...presentOf(price, now), setBy: 'list', asOf, source });
    }
  for (const [model, price] of Object.entries(configured)) {
    const replaced = table.get(model);
    table.set(model, {
      model,
      ...price,
      setBy: 'setting',
      ...(replaced && { listed: ratesOf(replaced) }),
    });
  }
  return [...table.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

const ratesOf = ({ input, output, cachedInput, cacheWrite }: ListedPrice) => ({
  input,
  output,
  ...(cachedInput !== undefined && { cachedInput }),
  ...(cacheWrite !== undefined && { cacheWrite }),
});
