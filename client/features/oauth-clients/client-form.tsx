import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { isObject } from '../../../shared/json.ts';
import { RequestError } from '../../api/request.ts';
import { counted } from '../../lib/format-count.ts';
import { JsonEditor, jsonOrText, pointersToNotJson, textThatIsNotJson } from '../../record/json-editor.tsx';
import { ProblemSummary, type Problems } from '../../record/record-form.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { Section } from '../../ui/layout.tsx';
import { ClientFieldInput } from './client-field-input.tsx';
import { CLIENT_FIELDS, type ClientField, FIELD_GROUPS } from './client-fields.ts';
import { problemLabel } from './client-problems.ts';
import classes from './oauth-clients.module.css';
import type { ClientFormState } from './use-client-form.ts';

/**
 * Edits a client by fields in groups, or as JSON.
 * @param first members of a new client to ask for before all others; undefined for an edit
 * @param unsaved title of an error: `Not created`
 */
export function ClientForm(props: {
  form: ClientFormState;
  label: string;
  first?: readonly string[];
  unsaved: string;
  children: ReactNode;
}) {
  const { form, first, unsaved } = props;
  const { draft, problems, failure, leaveDialog } = form;
  const [asJson, setAsJson] = useState(false);
  const broken = !isObject(draft.members) || pointersToNotJson(draft.members, '').length > 0;
  const taken = failure instanceof RequestError && failure.status === 409;
  return (
    <form
      ref={form.form}
      noValidate
      aria-label={props.label}
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <Stack gap="md">
        {form.restored && <Alert variant="light" title="Your unsaved changes were restored" />}
        <Group justify="flex-end">
          <Button.Group aria-label="Edit the client as">
            {[false, true].map((option) => (
              <Button
                key={String(option)}
                size="xs"
                variant={asJson === option ? 'filled' : 'default'}
                aria-pressed={asJson === option}
                // Invalid JSON cannot be shown in the form view.
                disabled={asJson !== option && broken}
                onClick={() => setAsJson(option)}
              >
                {option ? 'JSON' : 'Form'}
              </Button>
            ))}
          </Button.Group>
        </Group>
        {asJson ? (
          <WholeAsJson key={`json ${form.version}`} form={form} />
        ) : first === undefined ? (
          <div className={classes.indexed}>
            <SectionIndex
              sections={FIELD_GROUPS.map(({ title, fields }) => ({
                title,
                id: sectionId(title),
                problems: fields.filter(({ name }) => problemAt(problems, name) !== undefined).length,
              }))}
            />
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
        <ProblemSummary title={unsaved} problems={problems} nameOf={problemLabel} sendAnyway={form.sendAnyway} />
        {failure !== undefined && <FailurePanel error={failure} title={taken ? 'Taken by another client' : unsaved} />}
        {props.children}
      </Stack>
      {leaveDialog}
    </form>
  );
}

const sectionId = (title: string): string => `section-${title.toLowerCase().replace(/\W+/g, '-')}`;

function Groups({ form, except }: { form: ClientFormState; except: readonly string[] }) {
  return (
    <Stack gap="md">
      {FIELD_GROUPS.map(({ title, about, fields }) => {
        const shown = fields.filter(({ name }) => !except.includes(name));
        if (shown.length === 0) return null;
        return (
          <Section key={title} id={sectionId(title)} title={title} about={about}>
            <div className={title === 'Lifespans' ? classes.pair : undefined}>
              <Stack gap="md" display={title === 'Lifespans' ? 'contents' : undefined}>
                {shown.map((field) => (
                  <Field key={field.name} form={form} field={field} />
                ))}
              </Stack>
            </div>
          </Section>
        );
      })}
    </Stack>
  );
}

function Field({ form, field }: { form: ClientFormState; field: ClientField }) {
  const members = isObject(form.draft.members) ? form.draft.members : {};
  return (
    <ClientFieldInput
      field={field}
      value={members[field.name]}
      error={problemAt(form.problems, field.name)}
      onChange={(value) => form.setMember(field.name, value)}
    />
  );
}

/** The problem with a member or anything inside it. */
const problemAt = (problems: Problems, name: string): string | undefined =>
  Object.entries(problems).find(([pointer]) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))?.[1];

function ClientId({ form }: { form: ClientFormState }) {
  const members = isObject(form.draft.members) ? form.draft.members : {};
  return (
    <TextInput
      label="Client id"
      description="Cannot be changed later. Leave empty to have the OAuth server generate one."
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={typeof members.client_id === 'string' ? members.client_id : ''}
      error={form.problems['/client_id']}
      onChange={(event) => form.setMember('client_id', event.currentTarget.value)}
    />
  );
}

function WholeAsJson({ form }: { form: ClientFormState }) {
  const { members } = form.draft;
  const [text, setText] = useState(() => textThatIsNotJson(members) ?? JSON.stringify(members, null, 2));
  const found = Object.entries(form.problems).map(([pointer, problem]) => `${pointer.slice(1)} ${problem}`.trim());
  return (
    <JsonEditor
      label="Client as JSON"
      description="Only changed fields are saved. Removing a field clears it."
      value={text}
      error={found.length === 0 ? undefined : found.join(' ')}
      onChange={(typed) => {
        setText(typed);
        form.change({ members: jsonOrText(typed) ?? {} });
      }}
    />
  );
}

export interface IndexedSection {
  title: string;
  /** Of the section's element. */
  id: string;
  problems: number;
}

/** Leads to the sections of a long form, and says in which of them something is wrong. */
export const SectionIndex = ({ sections }: { sections: readonly IndexedSection[] }) => (
  <nav aria-label="Sections of the form">
    <ul className={classes.index}>
      {sections.map(({ title, id, problems }) => (
        <li key={id}>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              const section = document.getElementById(id);
              section?.scrollIntoView({ block: 'start' });
              section?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
            }}
          >
            {title}
            {problems > 0 && `, ${counted(problems, 'problem', 'problems')}`}
          </Button>
        </li>
      ))}
    </ul>
  </nav>
);
