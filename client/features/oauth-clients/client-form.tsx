import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { membersOf, text, texts } from '../../../shared/json.ts';
import { counted } from '../../lib/format-count.ts';
import { FormOrJson, invalidJsonText, MembersAsJson } from '../../record/json-editor.tsx';
import { sameJson } from '../../record/member-changes.ts';
import { type Problems, problemsAt, RecordForm } from '../../record/record-form.tsx';
import { StoredTextInput } from '../../ui/fields.tsx';
import { Section } from '../../ui/layout.tsx';
import type { ClientFormState } from './client-draft.ts';
import { CLIENT_FIELDS, type ClientField, FIELD_GROUPS, isListKind } from './client-fields.ts';
import { problemLabel } from './client-problems.ts';
import classes from './oauth-clients.module.css';

/**
 * Edits a client in grouped fields or as JSON.
 * @param first members of a new client to place before all others; undefined for an edit
 * @param unsaved title of an error: `Not created`
 */
export function ClientForm(props: {
  form: ClientFormState;
  label: string;
  first?: readonly string[];
  unsaved: string;
  children: ReactNode;
}) {
  const { form, first } = props;
  const { draft, problems } = form;
  const [asJson, setAsJson] = useState(false);
  return (
    <RecordForm
      form={form}
      label={props.label}
      className={classes.form}
      what="client"
      unsaved={props.unsaved}
      nameOf={problemLabel}
      fields={
        <>
          <Group justify="flex-end">
            <FormOrJson label="Edit the client as" json={asJson} value={draft.members} onChange={setAsJson} />
          </Group>
          {asJson ? (
            <MembersAsJson
              key={`json ${form.version}`}
              label="Client as JSON"
              description="Removing a field clears it."
              pointer=""
              value={draft.members}
              problems={problems}
              onChange={(members) => form.change({ members })}
            />
          ) : first === undefined ? (
            <div className={classes.indexed}>
              <SectionIndex problems={problems} />
              <Groups key={`fields ${form.version}`} form={form} except={[]} />
            </div>
          ) : (
            <>
              <Section title="Basics" about="What this kind of client needs.">
                <Stack gap="md">
                  <ClientId form={form} />
                  {first
                    .map((name) => CLIENT_FIELDS.find((field) => field.name === name))
                    .map((field) => field && <Field key={field.name} form={form} field={field} />)}
                </Stack>
              </Section>
              <details className={classes.more} open={Object.keys(problems).length > 0 || undefined}>
                <summary>All other settings, preset for this kind of application</summary>
                <Groups form={form} except={first} />
              </details>
            </>
          )}
        </>
      }
    >
      {props.children}
    </RecordForm>
  );
}

const sectionId = (title: string): string => `section-${title.toLowerCase().replace(/\W+/g, '-')}`;

function Groups({ form, except }: { form: ClientFormState; except: readonly string[] }) {
  return (
    <Stack gap="md">
      {FIELD_GROUPS.map(({ title, about, fields }) => {
        const others = fields.filter(({ name }) => !except.includes(name));
        if (others.length === 0) return null;
        return (
          <Section key={title} id={sectionId(title)} title={title} about={about}>
            <SimpleGrid cols={{ base: 1, sm: title === 'Lifespans' ? 2 : 1 }}>
              {others.map((field) => (
                <Field key={field.name} form={form} field={field} />
              ))}
            </SimpleGrid>
          </Section>
        );
      })}
    </Stack>
  );
}

const problemAt = (problems: Problems, name: string): string | undefined => problemsAt(problems, `/${name}`)[0]?.[1];

const ClientId = ({ form }: { form: ClientFormState }) => (
  <TextInput
    label="Client ID"
    description="Cannot be changed later. Leave empty to let the OAuth server generate one."
    autoCapitalize="none"
    value={text(membersOf(form.draft.members).client_id)}
    error={form.problems['/client_id']}
    onChange={(event) => form.setMember('client_id', event.currentTarget.value)}
  />
);

function countIn(problems: Problems, fields: readonly ClientField[]): string {
  const { length } = fields.filter(({ name }) => problemAt(problems, name) !== undefined);
  return length > 0 ? `, ${counted(length, 'problem', 'problems')}` : '';
}

const SectionIndex = ({ problems }: { problems: Problems }) => (
  <nav aria-label="Sections of the form">
    {FIELD_GROUPS.map(({ title, fields }) => (
      <Button
        key={title}
        variant="subtle"
        size="xs"
        onClick={() => {
          const section = document.getElementById(sectionId(title));
          section?.scrollIntoView({ block: 'start' });
          section?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
        }}
      >
        {title}
        {countIn(problems, fields)}
      </Button>
    ))}
  </nav>
);

const ROWS_MAX = 10;

function Field({ form, field }: { form: ClientFormState; field: ClientField }) {
  const value = membersOf(form.draft.members)[field.name];
  const error = problemAt(form.problems, field.name);
  const onChange = (value: unknown): void => form.setMember(field.name, value);
  const common = { label: field.label, description: field.about || undefined, error };
  // Decided once: the input must not be replaced while the operator types.
  const [fits] = useState(() => fitsInput(field.kind, value));
  switch (fits ? field.kind : 'json') {
    case 'text':
    case 'address':
    case 'scope':
    case 'duration':
      return (
        <StoredTextInput
          {...common}
          autoCapitalize="none"
          placeholder={field.kind === 'duration' ? "The server's default" : undefined}
          value={text(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'addresses':
    case 'origins':
    case 'lines': {
      const lines = texts(value);
      return (
        <Textarea
          {...common}
          autoCapitalize="none"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          rows={Math.min(ROWS_MAX, lines.length + 1)}
          value={lines.join('\n')}
          onChange={({ currentTarget: { value: all } }) => onChange(all === '' ? [] : all.split('\n'))}
        />
      );
    }
    case 'choice': {
      const current = text(value);
      const isOffered = field.choices.some(([choice]) => choice === current);
      const choices = isOffered ? field.choices : [[current, current || 'Not set'] as const, ...field.choices];
      return (
        <NativeSelect
          {...common}
          value={current}
          data={choices.map(([choice, label]) => ({ value: choice, label }))}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    }
    case 'set': {
      const chosen = texts(value);
      const others = chosen.filter((item) => !field.choices.some(([choice]) => choice === item));
      return (
        <Checkbox.Group {...common} value={chosen} onChange={onChange}>
          <Stack gap="xs" mt="xs">
            {[...field.choices, ...others.map((item) => [item, item] as const)].map(([choice, label]) => (
              <Checkbox key={choice} value={choice} label={label} aria-invalid={error !== undefined || undefined} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    }
    case 'flag':
      return (
        <Checkbox
          {...common}
          aria-invalid={error !== undefined || undefined}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'json':
      return (
        <MembersAsJson
          label={field.label}
          description={field.about}
          pointer=""
          value={sameJson(value, {}) && invalidJsonText(value) === undefined ? undefined : value}
          problems={error === undefined ? {} : { '': error }}
          onChange={onChange}
        />
      );
  }
}

/** Whether the input can edit a stored value without altering it. Other values are edited as JSON. */
function fitsInput(kind: ClientField['kind'], value: unknown): boolean {
  if (kind === 'json' || value === undefined || value === null) return true;
  if (kind === 'flag') return typeof value === 'boolean';
  if (!isListKind(kind)) return typeof value === 'string';
  return (
    Array.isArray(value) && value.every((item) => typeof item === 'string' && (kind === 'set' || !/[\r\n]/.test(item)))
  );
}
