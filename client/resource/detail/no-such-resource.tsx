import { Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import type { ResourceName } from '../define-resource.ts';

/** In the place of a detail page whose address leads to nothing. @param text why: no id, or nothing has it */
export function NoSuchResource(props: { name: ResourceName; list: string; text: string }) {
  const { one, many, title } = props.name;
  return (
    <>
      <PageHeading title={title} />
      <EmptyState
        kind="no-match"
        title={`There is no such ${one}`}
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
