import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CalmPanel } from '../ui/feedback/calm-panel.tsx';
import { IconMapOff } from '../ui/icons.ts';
import { PageHeading } from '../ui/page-heading.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeading title="Page not found" />
      <CalmPanel icon={<IconMapOff size={26} stroke={1.6} />} title="There is no page at this address">
        <Button component={Link} to="/dashboard" variant="light">
          Go to the overview
        </Button>
      </CalmPanel>
    </>
  );
}
