import { sql, type SqlBool } from 'kysely';
import type { ConversationRemoval } from '../chat/conversation-removal.ts';
import type { Database } from '../storage/database.ts';
import type { RetentionRule } from './retention-rule.ts';

/** Conversations per page; each is removed in steps of its own. */
const PAGE = 50;
const MAX_PAGES = 20;

/** No run in progress, no pending approval, no unfinished task. */
const unused = sql<SqlBool>`not exists (select 1 from agent_runs
    where agent_runs.conversation_id = conversations.id and agent_runs.status in ('attached', 'waiting', 'running')
      and not exists (select 1 from tasks where tasks.id = agent_runs.task_id
        and tasks.status in ('completed', 'failed', 'cancelled')))
  and not exists (select 1 from approvals
    where approvals.conversation_id = conversations.id and approvals.status = 'pending')
  and not exists (select 1 from tasks where tasks.id = conversations.task_id
    and tasks.status not in ('completed', 'failed', 'cancelled'))`;

/** Removes conversations that have not been used for a long time, with their messages. */
export const conversationRule = (database: Database, removal: ConversationRemoval): RetentionRule => {
  const isOld = (before: string) => sql<SqlBool>`updated_at < ${before} and ${unused}`;
  return {
    name: 'conversations',
    setting: 'retention.conversationsDays',
    async count(before) {
      const { rows } = await sql<{ n: number }>`select count(*) as n from conversations
        where ${isOld(before)}`.execute(database.read);
      return rows[0]?.n ?? 0;
    },
    async remove(before) {
      let taken = 0;
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const { rows } = await sql<{ id: string }>`select id from conversations
          where ${isOld(before)} order by updated_at limit ${PAGE}`.execute(database.read);
        for (const { id } of rows) if (await removal.remove(id, () => isOld(before))) taken++;
        if (rows.length < PAGE) return { taken, hasMore: false };
      }
      return { taken, hasMore: true };
    },
  };
};
