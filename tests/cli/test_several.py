import click
import pytest
from click.testing import CliRunner

from likewise.cli import Several, SeveralCommand


@click.command(cls=SeveralCommand)
@click.argument("place", nargs=-1)
@click.option("--seeds", "-s", cls=Several, type=int, default=(20, 50))
@click.option("--methods", cls=Several)
@click.option("--pool", type=int)
def command(place, *, seeds, methods, pool):
    click.echo(repr((place, seeds, methods, pool)))


def parsed(*arguments):
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return eval(done.output)


def test_an_option_takes_all_values_up_to_the_next_option():
    given = parsed("lib", "--seeds", "1", "2", "3", "--pool", "7", "--methods", "a", "b + c")
    assert given == (("lib",), (1, 2, 3), ("a", "b + c"), 7)


def test_one_value_and_the_same_option_again_work_too():
    assert parsed("--seeds", "1", "--pool", "7", "--seeds", "2", "3")[1] == (1, 2, 3)
    assert parsed("--seeds=1", "2")[1] == (1, 2)
    assert parsed("-s", "1", "2")[1] == (1, 2)


def test_without_the_option_its_default_holds():
    assert parsed("lib") == (("lib",), (20, 50), (), None)


def test_what_can_be_no_value_of_the_option_is_an_argument():
    assert parsed("--seeds", "1", "2", "lib", "3") == (("lib", "3"), (1, 2), (), None)


def test_values_of_other_options_stay_theirs():
    assert parsed("--seeds", "1", "--pool", "2", "3") == (("3",), (1,), (), 2)


def test_after_two_dashes_all_are_arguments():
    assert parsed("--methods", "a", "--", "--seeds", "1") == (
        ("--seeds", "1"),
        (20, 50),
        ("a",),
        None,
    )


@pytest.mark.parametrize("arguments", [["--seeds", "many"], ["--seeds"], ["--pool", "1", "-x"]])
def test_what_is_wrong_is_told_by_click(arguments):
    assert CliRunner().invoke(command, arguments).exit_code == 2
