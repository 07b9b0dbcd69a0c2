"""What `scripts/train.py` says and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agents.ppo.runs import config_of
from agents.training.runs import newest_run, open_run
from scripts.train import main

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "unknown ruleset 'nosuch'"),
        (["yahtzee-no-joker"], "no configuration for ruleset 'yahtzee-no-joker'"),
        (["tiny", "--total-stepz", "5"], "did you mean total_steps"),
        (["tiny", "--network.hiden=5"], "network.hidden"),
        (["tiny", "--lanes", "many"], "num_envs = 'many'"),
        (["tiny", "stray"], "'stray' follows no --key"),
        (["tiny", "--lanes"], "--lanes needs a value"),
        (["tiny", "--set", "dice"], "KEY=VALUE"),
        (["tiny", "--set", "dicee=4"], "did you mean dice"),
        (["tiny", "--config", "nosuch.yaml"], "nosuch.yaml: No such file"),
        (["tiny", "--config", str(ROOT / "configs" / "yatzy.yaml")], "this is for 'yatzy', not 'tiny'"),
        (["tiny", "--seed", "1", "--seeds", "2", "3"], "exclude each other"),
        (["tiny", "--seeds", "-1"], "seed = -1"),
        (["tiny", "--resume"], "nothing to resume"),
        (["tiny", "--resume", "no/such/run"], "not a run folder"),
        (["tiny", "--resume", "--seeds", "1"], "without --seeds"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--runs", str(tmp_path)])
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_key_in_a_file_ends_the_process_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text((ROOT / "configs" / "tiny.yaml").read_text().replace("minibatch", "minibach"))
    command = [sys.executable, "scripts/train.py", "tiny", "--config", str(path), "--runs", str(tmp_path / "runs")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "did you mean minibatch" in done.stderr


def test_several_seeds_and_resuming_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--runs", str(tmp_path), "--set", "throws=2"]
    main(["tiny", "--seeds", "5", "6", "--total-steps", "4096", *options])
    out, err = capsys.readouterr()
    folders = [Path(line) for line in out.splitlines()]
    assert [folder.name.rpartition("-")[2] for folder in folders] == ["5", "6"]
    assert [config_of(open_run(folder)).seed for folder in folders] == [5, 6]
    assert config_of(open_run(folders[0])).rules.throws == 2
    assert "4,096 of 4,096 steps" in err
    assert newest_run("tiny", tmp_path).folder == folders[1]

    for words, said in (
        (["tiny", "--resume", str(folders[0]), "--lanes", "64"], "num_envs = 64 cannot change"),
        (["tiny", "--resume", str(folders[0]), "--features", "observation"], "features = 'observation' cannot change"),
        (["yatzy", "--resume", str(folders[0])], "this is for 'tiny', not 'yatzy'"),
    ):
        with pytest.raises(SystemExit):
            main(words)
        assert said in capsys.readouterr().err
    main(["tiny", "--resume", str(folders[0])])
    assert "4,096 of 4,096 steps done" in capsys.readouterr().err

    config = folders[0] / "config.yaml"
    config.write_text("".join(line for line in config.read_text().splitlines(True) if "improvement_share" not in line))
    with pytest.raises(SystemExit):
        main(["tiny", "--resume", str(folders[0])])
    assert "does not say 'improvement_share'" in capsys.readouterr().err
