import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Identity } from '../../../api/identities-record.ts';
import { identitySchemaQuery } from '../../../api/identity-schemas.ts';
import { numberText } from '../../../lib/exact-json.ts';
import { FactList } from '../../../ui/fact-list.tsx';
import { traitLabel } from './trait-labels.ts';

/** Traits with their titles from the schema; nested ones to one level, deeper ones as JSON. */
export function TraitList({ identity }: { identity: Pick<Identity, 'traits' | 'schema_id'> }) {
  const { data: schema } = useQuery(identitySchemaQuery(identity.schema_id));
  const facts = formatTraits(identity.traits);
  const labels = facts.map(({ steps }) => traitLabel(schema, steps));
  if (facts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No traits.
      </Text>
    );
  }
  return (
    <FactList
      facts={facts.map(
        ({ steps, text, json }, index) =>
          [
            // Traits with the same title are shown by name.
            labels.filter((label) => label === labels[index]).length > 1 ? steps.join('.') : (labels[index] ?? ''),
            json ? (
              <Code key={steps.join('.')} block>
                {text}
              </Code>
            ) : (
              text
            ),
          ] as const,
      )}
    />
  );
}

export function formatTraits(
  traits: Record<string, unknown>,
  parent?: string,
): { steps: string[]; text: string; json: boolean }[] {
  return Object.entries(traits).flatMap(([key, value]) => {
    const steps = parent === undefined ? [key] : [parent, key];
    if (typeof value === 'string') return { steps, text: value === '' ? '(empty)' : value, json: false };
    if (typeof value === 'boolean') return { steps, text: value ? 'yes' : 'no', json: false };
    const number = numberText(value);
    if (number !== undefined || value === null) return { steps, text: number ?? 'none', json: false };
    if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || numberText(item) !== undefined))
      return { steps, text: value.map((item) => numberText(item) ?? String(item)).join(', ') || 'none', json: false };
    if (!Array.isArray(value) && parent === undefined) return formatTraits(value as Record<string, unknown>, key);
    return { steps, text: JSON.stringify(value, null, 2), json: true };
  });
}
