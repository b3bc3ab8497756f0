import { z } from 'zod';

const amount = z.number().min(0).max(1_000_000);
const rates = {
  input: amount,
  output: amount,
  cachedInput: amount.optional(),
  cacheWrite: amount.optional(),
};

/** Of a model, as `provider/model`. */
export const pricedModelSchema = z.string().regex(/^[a-z0-9-]+\/.{1,200}$/);

/** What a person says that a model costs, in USD per million tokens. */
export const priceSchema = z.strictObject({
  ...rates,
  asOf: z.iso.date().optional().meta({ description: 'The day of the price' }),
  source: z.string().max(300).optional().meta({ description: 'Where the price is from' }),
});
export type Price = z.output<typeof priceSchema>;

/** A file of prices. */
export const priceFileSchema = z.strictObject({
  asOf: z.iso.date(),
  source: z.string().max(300).optional(),
  prices: z.record(pricedModelSchema, priceSchema),
});

export const listedPriceSchema = z
  .object({
    model: z.string().meta({ description: 'As `provider/model`' }),
    ...rates,
    long: z
      .object({ above: z.int(), ...rates })
      .optional()
      .meta({ description: 'The prices of a call whose prompt has more tokens than `above`' }),
    setBy: z.enum(['list', 'setting']).meta({
      description: '`setting`: a price of `models.prices`; `list`: a list price of the vendor',
    }),
    listed: z.object(rates).optional().meta({ description: 'The list price that the setting replaces' }),
    asOf: z.iso.date().optional(),
    source: z.string().optional(),
  })
  .meta({ id: 'ListedPrice' });
export type ListedPrice = z.output<typeof listedPriceSchema>;
