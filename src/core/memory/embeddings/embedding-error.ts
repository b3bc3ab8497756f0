import { modelError } from '../../providers/model-error.ts';
import type { ModelFailure } from '../../providers/resolved-model.ts';
import { AppError } from '../../errors.ts';

/** Codes of failures that one text may cause: it is too long, refused for what it says, or more than the model can do. */
const codesOfTexts = ['invalid_input', 'content_filter', 'context_too_long', 'vendor_error', 'bad_answer'];

/** A provider made no vectors. */
export class EmbeddingError extends AppError {
  /** Short and stable, such as `rate_limited`. */
  readonly kind: string;
  constructor(failure: ModelFailure) {
    const { code, message, retryAfterMs } = modelError(failure);
    super(code, message, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
    this.kind = failure.code;
  }

  /** True where other texts might have been accepted. */
  get mayBeTheText(): boolean {
    return codesOfTexts.includes(this.kind);
  }
}
