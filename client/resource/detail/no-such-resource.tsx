import { Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import type { ResourceName } from '../define-resource.ts';

/** Shown for a URL without a record. @param text the reason: not an id, or no record has it */
export function NoSuchResource(props: { name: ResourceName; list: string; text: string }) {
  const { many, title } = props.name;
  return (
    <>
      <PageHeading title={title} />
      <EmptyState
        kind="no-match"
        title={`${title} not found`}
        text={props.text}
        actions={
          <Button
            variant="default"
            size="xs"
            renderRoot={(button) => <Link {...button} to={props.list as LinkProps['to']} />}
          >
            Search the {many}
          </Button>
        }
      />
    </>
  );
}
