/** The errors of the protocol and of JSON-RPC 2.0, with their codes and reasons. */
const errors = {
  taskNotFound: [-32_001, 'TASK_NOT_FOUND', 'Task not found'],
  taskNotCancelable: [-32_002, 'TASK_NOT_CANCELABLE', 'The task cannot be cancelled'],
  pushNotSupported: [-32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push notifications are not supported here'],
  unsupportedOperation: [-32_004, 'UNSUPPORTED_OPERATION', 'This operation is not supported'],
  contentTypeNotSupported: [
    -32_005,
    'CONTENT_TYPE_NOT_SUPPORTED',
    'Only text/plain and application/json are supported',
  ],
  versionNotSupported: [
    -32_009,
    'VERSION_NOT_SUPPORTED',
    'Versions 1.0 and 0.3 are served. Send the header A2A-Version: 1.0',
  ],
  invalidRequest: [-32_600, undefined, 'The body is not a request of JSON-RPC 2.0'],
  methodNotFound: [-32_601, undefined, 'There is no such method'],
  invalidParams: [-32_602, 'INVALID_PARAMS', 'The parameters are not valid'],
} as const;

/** A request that the protocol refuses. */
export class A2aError extends Error {
  override readonly name = 'A2aError';
  readonly code: number;
  readonly #reason: string | undefined;
  readonly #violations: readonly { path: string; message: string }[] | undefined;

  constructor(
    kind: keyof typeof errors,
    message?: string,
    violations?: readonly { path: string; message: string }[],
  ) {
    const [code, reason, text] = errors[kind];
    super(message ?? text);
    this.code = code;
    this.#reason = reason;
    this.#violations = violations;
  }

  /** The error as the member `error` of an answer. */
  toJSON(): object {
    const data = [
      ...(this.#reason === undefined
        ? []
        : [{ '@type': `${types}ErrorInfo`, reason: this.#reason, domain: 'a2a-protocol.org' }]),
      ...(this.#violations
        ? [
            {
              '@type': `${types}BadRequest`,
              fieldViolations: this.#violations.map(({ path, message }) => ({
                field: path,
                description: message,
              })),
            },
          ]
        : []),
    ];
    return { code: this.code, message: this.message, ...(data.length > 0 && { data }) };
  }
}

const types = 'type.googleapis.com/google.rpc.';
