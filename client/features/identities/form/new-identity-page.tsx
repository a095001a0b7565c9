import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { type IdentitySchema, identitySchemasQuery, type KnownSchemas } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { SchemasIncomplete } from '../../../resource/traits/schemas-incomplete.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { lazyPanel } from '../../../ui/loading/lazy-part.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { rememberedSchema, rememberSchema } from '../remembered-schema.ts';
import classes from './identity-form.module.css';

// The form comes once it is known of which schema: until then there is nothing to show of it.
const NewIdentityForm = lazyPanel(() => import('./new-identity-form.tsx'), 'NewIdentityForm');

const route = getRouteApi('/signed-in/identities/new');

export function NewIdentityPage() {
  const may = useCan();
  if (!may('identities.write')) return <ClosedPage title="New identity" />;
  return (
    <>
      <PageHeading
        title="New identity"
        about="It has no password. A recovery code or link, made on its page afterwards, lets the person set one."
      />
      <WithSchemas />
    </>
  );
}

function WithSchemas() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  if (known !== undefined) return <WithChosenSchema {...known} />;
  if (error === null) return <LoadingRows label="Loading the schemas" height={320} />;
  return (
    <WithTypedSchema>
      <FailurePanel error={error} title="The schemas are unavailable" onRetry={() => void refetch()} />
    </WithTypedSchema>
  );
}

/** The identity service does not say which schema is its default: where there are several, one is chosen. */
function WithChosenSchema(known: KnownSchemas) {
  const { schemas } = known;
  const { schema: inAddress } = route.useSearch();
  const navigate = route.useNavigate();
  const [remembered] = useState(() => rememberedSchema(schemas));
  const chosen = schemas.find(({ id }) => id === (inAddress ?? remembered));
  return (
    <Stack gap="md" className={classes.form}>
      <SchemasIncomplete {...known} />
      <NativeSelect
        label="Schema"
        description="What this identity is: it decides which traits it has."
        value={chosen?.id ?? ''}
        data={[
          ...(chosen === undefined ? [{ value: '', label: 'Choose one', disabled: true }] : []),
          ...schemas.map((schema) => ({ value: schema.id, label: labelOf(schema) })),
        ]}
        // In the address, so that the form is the same after a sign-in; what is typed asks before it is lost.
        onChange={({ currentTarget }) => {
          rememberSchema(currentTarget.value);
          void navigate({ search: { schema: currentTarget.value }, replace: true });
        }}
      />
      {chosen !== undefined && (
        <Suspense fallback={FORM_COMES}>
          <NewIdentityForm key={chosen.id} schemaId={chosen.id} schema={chosen.schema} />
        </Suspense>
      )}
    </Stack>
  );
}

function WithTypedSchema({ children }: { children: ReactNode }) {
  const { schema: inAddress } = route.useSearch();
  const [typed, setTyped] = useState(inAddress ?? '');
  return (
    <Stack gap="md" className={classes.form}>
      {children}
      <TextInput
        label="Schema"
        description="Its id in the identity service. Empty for the default one."
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Suspense fallback={FORM_COMES}>
        <NewIdentityForm schemaId={typed} schema={undefined} />
      </Suspense>
    </Stack>
  );
}

const FORM_COMES = <LoadingRows label="Loading the form" height={320} />;

const labelOf = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title !== '' && schema.title !== id ? `${schema.title} (${id})` : id;
