import { List, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import classes from './client-form.module.css';
import { CLIENT_KINDS } from './client-kinds.ts';
import { KIND_NAMES, type KindName } from './kind-names.ts';
import { NewClientForm } from './new-client-form.tsx';

const route = getRouteApi('/signed-in/oauth/clients/new');

export function NewClientPage() {
  const may = useCan();
  const { kind } = route.useSearch();
  if (!may('upstreams.write')) return <ClosedPage title="New OAuth2 client" />;
  return (
    <>
      <PageHeading
        title="New OAuth2 client"
        about="An application that signs people in, or calls APIs on its own behalf."
      />
      <Stack gap="md" className={classes.form}>
        <Kinds chosen={kind} />
        {kind !== undefined && (
          <>
            <Explanation kind={kind} />
            <NewClientForm key={kind} kind={kind} />
          </>
        )}
      </Stack>
    </>
  );
}

function Kinds({ chosen }: { chosen: KindName | undefined }) {
  const navigate = route.useNavigate();
  return (
    <fieldset className={classes.kinds} aria-label="Kind of application">
      {KIND_NAMES.map((name) => (
        <label key={name} className={classes.kind}>
          <input
            type="radio"
            name="kind"
            checked={chosen === name}
            // In the address, so that the same form is back after a sign-in; typed values are guarded against being
            // lost.
            onChange={() => void navigate({ search: { kind: name }, replace: true })}
          />
          <Text span size="sm" fw={600}>
            {CLIENT_KINDS[name].title}
          </Text>
          <small>{CLIENT_KINDS[name].about}</small>
        </label>
      ))}
    </fieldset>
  );
}

const Explanation = ({ kind }: { kind: KindName }) => (
  <section aria-label="Presets and their reasons">
    <List spacing={2}>
      {CLIENT_KINDS[kind].choices.map(([choice, why]) => (
        <List.Item key={choice}>
          <strong>{choice}.</strong> {why}
        </List.Item>
      ))}
    </List>
  </section>
);
