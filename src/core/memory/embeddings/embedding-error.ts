import { modelError } from '../../providers/model-error.ts';
import type { ModelFailure } from '../../providers/resolved-model.ts';
import { AppError } from '../../errors.ts';

/** Error codes that a single text can cause: too long, rejected content, or more than the model can handle. */
const textRelatedCodes = [
  'invalid_input',
  'content_filter',
  'context_too_long',
  'vendor_error',
  'bad_answer',
];

/** A provider failed to compute vectors. */
export class EmbeddingError extends AppError {
  /** Short and stable, such as `rate_limited`. */
  readonly kind: string;
  constructor(failure: ModelFailure) {
    const { code, message, retryAfterMs } = modelError(failure);
    super(code, message, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
    this.kind = failure.code;
  }

  /** True when other texts might have been accepted. */
  get mayBeCausedByText(): boolean {
    return textRelatedCodes.includes(this.kind);
  }
}
