import type { Kysely } from 'kysely';

/** What the daemons of a cluster have indexed, for the index of each of them. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('memory_streams')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('rev', 'integer', (column) => column.notNull())
    .addColumn('floor', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('host', 'text')
    .addColumn('keeper', 'text')
    .addColumn('synced_at', 'text')
    .execute();
  await db.schema
    .createTable('memory_files')
    .addColumn('path', 'text', (column) => column.primaryKey())
    .addColumn('root', 'text', (column) => column.notNull())
    .addColumn('rev', 'integer', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('stamp', 'text', (column) => column.notNull())
    .addColumn('place_length', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('chunks', 'text')
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('memory_files_by_rev').on('memory_files').columns(['root', 'rev']).execute();
  await db.schema
    .createTable('memory_vectors')
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('dimensions', 'integer', (column) => column.notNull())
    .addColumn('vector', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('memory_vectors_by_text', ['model', 'hash'])
    .execute();
  await db.schema
    .createTable('experience_changes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('rev', 'integer', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('experience_changes_by_rev').on('experience_changes').column('rev').execute();
}
