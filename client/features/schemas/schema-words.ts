import type { IdentitySchema } from '../../api/identity-schemas.ts';
import { type TraitNode, traitTree } from './trait-tree.ts';

/** What a schema is called: by its own title, or its id. */
export const schemaName = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title.trim() !== '' ? schema.title : id;

/** The traits that somebody signs in with, by their titles, and how many there are in all. */
export function schemaAtAGlance({ schema }: IdentitySchema): { traits: number; signsInWith: string[] } {
  const { traits } = traitTree(schema);
  const all = traits.flatMap(withDescendants);
  const used = all.filter(({ uses }) => uses.some(({ label }) => label.startsWith('Signs in')));
  return { traits: traits.length, signsInWith: used.map(({ title }) => title) };
}

const withDescendants = (node: TraitNode): TraitNode[] => [node, ...node.children.flatMap(withDescendants)];
