import { Checkbox, Group, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { membersOf, text, texts } from '../../../shared/json.ts';
import { FormOrJson, invalidJsonText, MembersAsJson } from '../../record/json-editor.tsx';
import { sameJson } from '../../record/member-changes.ts';
import { type Problems, problemsAt, RecordForm } from '../../record/record-form.tsx';
import { StoredTextInput } from '../../ui/fields.tsx';
import { Section } from '../../ui/layout.tsx';
import type { ClientFormState } from './client-draft.ts';
import { CLIENT_FIELDS, type ClientField, FIELD_GROUPS, fieldLabel, isListKind } from './client-fields.ts';
import { fieldsOf, kindOf } from './client-kinds.ts';
import { problemLabel } from './client-problems.ts';
import type { KindName } from './client-resource.ts';
import classes from './oauth-clients.module.css';

/**
 * Edits a client in fields or as JSON: first the fields of its kind, and behind them all others.
 * @param kind of a new client; undefined for an edit
 * @param unsaved title of an error: `Not created`
 */
export function ClientForm(props: {
  form: ClientFormState;
  label: string;
  kind?: KindName;
  unsaved: string;
  children: ReactNode;
}) {
  const { form, kind } = props;
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
          ) : (
            <Fields key={`fields ${form.version}`} form={form} kind={kind} />
          )}
        </>
      }
    >
      {props.children}
    </RecordForm>
  );
}

function Fields({ form, kind }: { form: ClientFormState; kind: KindName | undefined }) {
  const members = membersOf(form.draft.members);
  // Decided once: a field must not move while the operator edits it.
  const [{ of, first, preset }] = useState(() => {
    const of = kind ?? kindOf(members);
    return { of, ...fieldsOf(members, of) };
  });
  const fieldFor = (field: ClientField) => <Field key={field.name} form={form} field={aboutFor(field, of)} />;
  const others = CLIENT_FIELDS.filter(({ name }) => !first.includes(name));
  const hasProblem = others.some(({ name }) => problemAt(form.problems, name) !== undefined);
  return (
    <>
      <Section title="Basics" about="What this kind of client needs, and what else is set.">
        <Stack gap="md">
          {kind !== undefined && <ClientId form={form} />}
          {first.flatMap((name) => CLIENT_FIELDS.find((field) => field.name === name) ?? []).map(fieldFor)}
        </Stack>
      </Section>
      <details className={classes.more} open={hasProblem || undefined}>
        <summary>
          More fields{preset.length > 0 && `, preset for this kind of client: ${preset.map(fieldLabel).join(', ')}`}
        </summary>
        <Stack gap="md">
          {FIELD_GROUPS.map(({ title, about, fields }) => {
            const rest = fields.filter((field) => others.includes(field));
            return (
              rest.length > 0 && (
                <Section key={title} title={title} about={about}>
                  <SimpleGrid cols={{ base: 1, sm: title === 'Lifespans' ? 2 : 1 }}>{rest.map(fieldFor)}</SimpleGrid>
                </Section>
              )
            );
          })}
        </Stack>
      </details>
    </>
  );
}

/** Nobody signs in with a machine, so there is no consent page. */
const aboutFor = (field: ClientField, kind: KindName | undefined): ClientField =>
  kind === 'machine' && /consent page/.test(field.about) ? { ...field, about: '' } : field;

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
