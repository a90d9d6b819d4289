/** Shows an error in place of a page that fails. The frame around the page goes on to work. */
import { Component, type ReactNode } from "react";

import { Refusal } from "../api/client";
import { Failure } from "./failure";

interface CatchState {
  error: Error | null;
}

export class Catch extends Component<{ children: ReactNode }, CatchState> {
  override state: CatchState = { error: null };

  static getDerivedStateFromError(error: Error): CatchState {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // After an upgrade of the gateway, the files of its pages have other names and the old ones are not found.
    const problem = new Refusal(
      0,
      "This page cannot be shown.",
      `Load it anew; the gateway may be another by now. (${error.message})`,
    );
    return <Failure problem={problem} again={() => window.location.reload()} />;
  }
}
