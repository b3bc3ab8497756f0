/** What the vendors answer about comments, with the statuses, fields and headers of the real ones. */
export interface Asked {
  method: string;
  path: string;
  body: Record<string, unknown>;
}
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}
export interface KeptComment {
  id: string;
  /** The issue that it belongs to. */
  on: string;
  body: unknown;
  createdAt: string;
  updatedAt: string;
}
export interface World {
  comments: KeptComment[];
  newId: () => number;
  at: string;
  isKnown: boolean;
}

export const githubError = (status: number, message: string, headers?: Record<string, string>): Answer => ({
  status,
  ...(headers && { headers }),
  body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
});

export function answerOfGithub(
  { method, path, body }: Asked,
  { comments, newId, at, isKnown }: World,
): Answer {
  if (!isKnown) return githubError(401, 'Bad credentials');
  const url = new URL(path, 'https://api.example');
  const shown = ({ id, body: text, createdAt, updatedAt }: KeptComment) => ({
    id: Number(id),
    node_id: `IC_${id}`,
    html_url: `https://github.com/o/r/issues/1#issuecomment-${id}`,
    user: { login: 'octocat', id: 1, type: 'User' },
    created_at: createdAt,
    updated_at: updatedAt,
    author_association: 'MEMBER',
    body: text,
  });
  const text = body['body'];
  if (method !== 'GET' && (typeof text !== 'string' || text === '' || text.length > 65_536))
    return { status: 422, body: { message: 'Validation Failed', errors: [{ field: 'body' }] } };
  const edited = /\/issues\/comments\/(\d+)$/.exec(url.pathname)?.[1];
  if (edited !== undefined) {
    const comment = comments.find(({ id }) => id === edited);
    if (!comment) return githubError(404, 'Not Found');
    Object.assign(comment, { body: text, updatedAt: at });
    return { status: 200, body: shown(comment) };
  }
  const on = url.pathname.replace(/^.*\/repos\//, '').replace(/\/comments$/, '');
  if (method === 'POST') {
    const comment = { id: String(newId()), on, body: text, createdAt: at, updatedAt: at };
    comments.push(comment);
    return { status: 201, body: shown(comment) };
  }
  const since = url.searchParams.get('since') ?? '';
  const size = Number(url.searchParams.get('per_page') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  const listed = comments.filter((comment) => comment.on === on && comment.updatedAt >= since);
  const next = new URL(`${url.pathname}${url.search}`, 'https://vendors.example');
  next.searchParams.set('page', String(page + 1));
  return {
    status: 200,
    headers: listed.length > page * size ? { link: `<${next.href}>; rel="next"` } : {},
    body: listed.slice((page - 1) * size, page * size).map(shown),
  };
}

export const jiraError = (status: number, message: string): Answer => ({
  status,
  body: { errorMessages: [message], errors: {} },
});

export function answerOfJira({ method, path, body }: Asked, { comments, newId, at, isKnown }: World): Answer {
  if (!isKnown) return { status: 401, body: { code: 401, message: 'Unauthorized' } };
  const url = new URL(path, 'https://api.example');
  const [, on = '', edited] = /\/issue\/([^/]+)\/comment(?:\/(\d+))?$/.exec(url.pathname) ?? [];
  const shown = ({ id, body: document, createdAt, updatedAt }: KeptComment) => ({
    self: `https://example.atlassian.net/rest/api/3/issue/10010/comment/${id}`,
    id,
    author: { accountId: '5b10a2844c20165700ede21g', displayName: 'Mia Krystof', active: true },
    body: document,
    created: createdAt.replace('Z', '+0000'),
    updated: updatedAt.replace('Z', '+0000'),
    jsdPublic: true,
  });
  if (method !== 'GET') {
    if (!isAdf(body['body'])) return jiraError(400, 'INVALID_INPUT');
    if (JSON.stringify(body['body']).length > 32_767)
      return jiraError(
        400,
        'The entered text is too long. It exceeds the allowed limit of 32,767 characters.',
      );
  }
  if (edited !== undefined) {
    const comment = comments.find(({ id }) => id === edited);
    if (!comment) return jiraError(404, `Can not find a comment for the id: ${edited}.`);
    Object.assign(comment, { body: body['body'], updatedAt: at });
    return { status: 200, body: shown(comment) };
  }
  if (method === 'POST') {
    const comment = { id: String(newId()), on, body: body['body'], createdAt: at, updatedAt: at };
    comments.push(comment);
    return { status: 201, body: shown(comment) };
  }
  const startAt = Number(url.searchParams.get('startAt') ?? 0);
  const maxResults = Math.min(Number(url.searchParams.get('maxResults') ?? 50), 100);
  const listed = comments.filter((comment) => comment.on === on);
  if (url.searchParams.get('orderBy') === '-created') listed.reverse();
  return {
    status: 200,
    body: {
      startAt,
      maxResults,
      total: listed.length,
      comments: listed.slice(startAt, startAt + maxResults).map(shown),
    },
  };
}

interface Node {
  type: string;
  text?: string;
  content?: Node[];
}
/** What Jira holds against a document, as far as comments need it. */
function isAdf(document: unknown): boolean {
  const { version, type, content } = (document ?? {}) as { version?: number } & Node;
  const blocks = ['paragraph', 'blockquote'];
  const isInline = ({ type: name, text }: Node) =>
    name === 'hardBreak' || (name === 'text' && typeof text === 'string' && text !== '');
  const isBlock = (node: Node): boolean =>
    blocks.includes(node.type) &&
    (node.content ?? []).every((inner) =>
      node.type === 'paragraph' ? isInline(inner) : inner.type === 'paragraph' && isBlock(inner),
    );
  return version === 1 && type === 'doc' && (content ?? []).every(isBlock);
}

/** Linear's own word for each kind of error, which come with status 200 unless `status` says otherwise. */
export const linearError = (type: string, code: string, message: string, status = 200): Answer => ({
  status,
  body: {
    errors: [
      {
        message,
        path: ['comment'],
        locations: [{ line: 1, column: 1 }],
        extensions: { type, code, statusCode: 400, userError: true, userPresentableMessage: message },
      },
    ],
    data: null,
  },
});

export function answerOfLinear({ body }: Asked, { comments, at, isKnown }: World): Answer {
  if (!isKnown)
    return linearError('authentication error', 'AUTHENTICATION_ERROR', 'Authentication required', 401);
  const query = String(body['query']);
  const { id, input = {} } = body['variables'] as { id?: string; input?: Record<string, string> };
  const comment = comments.find((kept) => kept.id === (id ?? input['id']));
  if (query.includes('commentCreate')) {
    if (!/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(input['id'] ?? ''))
      return linearError('invalid input', 'INPUT_ERROR', 'Argument Validation Error');
    if (comment) return linearError('invalid input', 'INPUT_ERROR', 'Entity with this id already exists');
    const { id: newId = '', issueId: on = '', body: text } = input;
    comments.push({ id: newId, on, body: text, createdAt: at, updatedAt: at });
    return { status: 200, body: { data: { commentCreate: { success: true, comment: { id: newId } } } } };
  }
  if (!comment)
    return linearError('invalid input', 'INPUT_ERROR', 'Entity not found: Comment - Could not find it.');
  if (!query.includes('commentUpdate')) return { status: 200, body: { data: { comment: { id } } } };
  Object.assign(comment, { body: input['body'], updatedAt: at });
  return { status: 200, body: { data: { commentUpdate: { success: true } } } };
}
