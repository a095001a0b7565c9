import type { IdentitySchema } from '../../api/identity-schemas.ts';
import { type TraitNode, traitTree } from './trait-tree.ts';

/** A schema's title, or else its id. */
export const schemaName = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title.trim() !== '' ? schema.title : id;

/** The number of traits, and the titles of those that people sign in with. */
export function schemaSummary({ schema }: IdentitySchema): { traits: number; signsInWith: string[] } {
  const { traits } = traitTree(schema);
  const all = traits.flatMap(withDescendants);
  const used = all.filter(({ uses }) => uses.some(({ label }) => label.startsWith('Signs in')));
  return { traits: traits.length, signsInWith: used.map(({ title }) => title) };
}

const withDescendants = (node: TraitNode): TraitNode[] => [node, ...node.children.flatMap(withDescendants)];
