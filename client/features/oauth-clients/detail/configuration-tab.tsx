import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { clientQuery } from '../../../api/oauth-client-record.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { FactList } from '../../../ui/fact-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { CLIENT_FIELDS, type ClientField, FIELD_GROUPS } from '../client-fields.ts';
import { documentOf } from '../form/client-document.ts';
import { formatDuration } from '../go-duration.ts';
import classes from './client-tabs.module.css';
import { TextItems } from './text-items.tsx';

/** Every member, grouped as in the form; unknown ones come last. */
export function ConfigurationTab() {
  const members = documentOf(useRecord(clientQuery));
  const others = Object.entries(members).filter(([name]) => !CLIENT_FIELDS.some((field) => field.name === name));
  return (
    <Stack gap="md">
      {FIELD_GROUPS.map(({ title, about, fields }) => {
        const unset = fields.filter(({ name }) => members[name] === undefined);
        const set = fields.filter((field) => !unset.includes(field));
        return (
          <Section key={title} title={title} about={about}>
            {set.length > 0 && (
              <FactList facts={set.map((field) => [field.label, shown(field, members[field.name])])} />
            )}
            {unset.length > 0 && (
              <Text size="xs" c="dimmed" mt={set.length > 0 ? 'sm' : 0}>
                Not set: {unset.map(({ label }) => label).join(', ')}.
              </Text>
            )}
          </Section>
        );
      })}
      {others.length > 0 && (
        <Section title="Other members" about="Members that this dashboard does not know. Edit them as JSON.">
          <FactList facts={others.map(([name, value]) => [name, asJson(value)])} />
        </Section>
      )}
    </Stack>
  );
}

function shown({ kind, choices }: ClientField, value: unknown): ReactNode {
  const choiceLabel = (item: string): string => choices?.find(([choice]) => choice === item)?.[1] ?? item;
  if (Array.isArray(value) && kind === 'set') return value.map((item) => choiceLabel(String(item))).join(', ');
  if (Array.isArray(value)) return <TextItems items={value.map(String)} />;
  if (kind === 'flag') return value === true ? 'Yes' : 'No';
  if (typeof value !== 'string') return asJson(value);
  if (kind === 'duration') return formatDuration(value);
  return <span className={classes.breakable}>{kind === 'choice' ? choiceLabel(value) : value}</span>;
}

const asJson = (value: unknown): ReactNode => (
  <Code block className={classes.breakable}>
    {JSON.stringify(value, null, 2)}
  </Code>
);
