import { Code, Text } from '@mantine/core';
import { FactList } from '../../../ui/fact-list.tsx';

/** Traits by their names, one level deep in words, deeper ones as JSON. */
export function TraitList({ traits }: { traits: Record<string, unknown> }) {
  const facts = traitsInWords(traits);
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
        ({ name, text, json }) =>
          [
            name,
            json ? (
              <Code key={name} block>
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

export function traitsInWords(
  traits: Record<string, unknown>,
  parent = '',
): { name: string; text: string; json: boolean }[] {
  return Object.entries(traits).flatMap(([key, value]) => {
    const name = parent === '' ? key : `${parent}.${key}`;
    if (typeof value === 'string') return { name, text: value === '' ? '(empty)' : value, json: false };
    if (typeof value === 'boolean') return { name, text: value ? 'yes' : 'no', json: false };
    if (typeof value === 'number' || value === null) return { name, text: String(value ?? 'none'), json: false };
    if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
      return { name, text: value.join(', ') || 'none', json: false };
    if (!Array.isArray(value) && parent === '') return traitsInWords(value as Record<string, unknown>, name);
    return { name, text: JSON.stringify(value, null, 2), json: true };
  });
}
