import {
  type ColumnDefinitionNode,
  type DataTypeNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  RawNode,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';

/** Reads the types of SQLite in a migration as those of PostgreSQL that hold the same values in the same order. */
export class PortableTypes implements KyselyPlugin {
  readonly #transformer = new TypeTransformer();

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#transformer.transformNode(node);
  }

  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}

class TypeTransformer extends OperationNodeTransformer {
  protected override transformDataType(node: DataTypeNode): DataTypeNode {
    if (node.dataType === 'integer') return { ...node, dataType: 'bigint' };
    if (node.dataType === 'real') return { ...node, dataType: 'double precision' };
    return node;
  }

  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node);
    return node.dataType.kind === 'DataTypeNode' && (node.dataType as DataTypeNode).dataType === 'text'
      ? { ...column, dataType: RawNode.createWithSql('text collate "C"') }
      : column;
  }
}
