import type { VendorModel } from './resolved-model.ts';
import { wrappedModel } from './wrapped-model.ts';

/**
 * The SDK refuses a whole answer with the result of a tool of the vendor's that an earlier answer called. Nobody reads
 * such results here.
 */
export const withoutLooseResults = (model: VendorModel): VendorModel =>
  wrappedModel(model, {
    doGenerate: async (options) => {
      const answer = await model.doGenerate(options);
      const called = new Set(
        answer.content.map((part) => (part.type === 'tool-call' ? part.toolCallId : undefined)),
      );
      const content = answer.content.filter(
        (part) => part.type !== 'tool-result' || called.has(part.toolCallId),
      );
      return { ...answer, content };
    },
  });
